/**
 * Publisher confirms of one channel. Tags that became due during a pass of the event loop are acknowledged together: one
 * `multiple` ack up to the first tag that is still held back, single acks above it.
 */
import type { ConfirmFate } from '../faults/standing-faults.ts'
import type { ChannelLink } from './link.ts'

export class Confirms {
  readonly #link: ChannelLink
  #isSelected = false
  #lastTag = 0
  /** Tags to acknowledge at the next flush. */
  #due: number[] = []
  /** Tags published and neither acknowledged nor due: delayed or dropped on purpose. In ascending order. */
  readonly #heldBack = new Set<number>()
  readonly #timers = new Set<NodeJS.Timeout>()

  constructor(link: ChannelLink) {
    this.#link = link
  }

  get isSelected(): boolean {
    return this.#isSelected
  }

  select(): void {
    this.#isSelected = true
  }

  /** The tag of the message that has just been published; tags count from 1. */
  nextTag(): number {
    return ++this.#lastTag
  }

  acknowledge(tag: number): void {
    this.#due.push(tag)
    this.#link.confirmSoon()
  }

  settle(tag: number, fate: ConfirmFate): void {
    if (fate.outcome === 'drop') this.#heldBack.add(tag)
    else if (fate.outcome === 'nack') this.#nack(tag)
    else if (fate.delayMs > 0) this.#delay(tag, fate.delayMs)
    else this.acknowledge(tag)
  }

  /** Writes what is due; called at the end of a pass and before anything that must come after the confirms. */
  flush(): void {
    if (this.#due.length === 0) return
    const due = this.#due
    this.#due = []
    if (this.#heldBack.size > 0) due.sort((a, b) => a - b)
    const [firstHeldBack = Number.POSITIVE_INFINITY] = this.#heldBack
    const together = due.findLast((tag) => tag < firstHeldBack)
    if (together !== undefined) this.#link.send('basic.ack', { deliveryTag: together, multiple: due[0] !== together })
    for (const tag of due) {
      if (tag > firstHeldBack) this.#link.send('basic.ack', { deliveryTag: tag, multiple: false })
    }
  }

  /** Delayed confirms are never sent on a channel that has ended. */
  end(): void {
    for (const timer of this.#timers) clearTimeout(timer)
    this.#timers.clear()
  }

  #nack(tag: number): void {
    this.flush()
    this.#link.send('basic.nack', { deliveryTag: tag, multiple: false, requeue: false })
  }

  #delay(tag: number, delayMs: number): void {
    this.#heldBack.add(tag)
    const timer = setTimeout(() => {
      this.#timers.delete(timer)
      this.#heldBack.delete(tag)
      this.acknowledge(tag)
    }, delayMs)
    this.#timers.add(timer)
  }
}
