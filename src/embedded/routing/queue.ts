/**
 * A queue: entries in order, and the consumers that take turns at them. It hands an entry to a consumer that can take one
 * and keeps the rest; who may use it, and when it is deleted, is the virtual host's business.
 */
import type { Entry, Message } from './message.ts'

export interface QueueTraits {
  readonly name: string
  readonly durable: boolean
  readonly autoDelete: boolean
  /** The connection it belongs to; undefined for a queue that is not exclusive. */
  readonly owner: object | undefined
}

/** What a queue needs of a consumer. */
export interface Taker {
  readonly exclusive: boolean
  /** Prefetch not used up, connection able to send, nothing withheld. */
  canTake(): boolean
  take(entry: Entry): void
  /** The queue is gone. */
  queueDeleted(): void
}

/** Taken entries leave a gap at the front; it is closed when it is at least this long and half of the array. */
const GAP_TO_CLOSE = 4096

export class Queue {
  readonly traits: QueueTraits
  readonly #consumers: Taker[] = []
  #turn = 0
  #entries: (Entry | undefined)[] = []
  #head = 0
  #nextPosition = 0
  #isDeleted = false

  constructor(traits: QueueTraits) {
    this.traits = traits
  }

  get messageCount(): number {
    return this.#entries.length - this.#head
  }

  get consumerCount(): number {
    return this.#consumers.length
  }

  get hasExclusiveConsumer(): boolean {
    return this.#consumers.some((consumer) => consumer.exclusive)
  }

  enqueue(message: Message): void {
    this.#entries.push({ message, position: this.#nextPosition++, redelivered: false })
    this.handOut()
  }

  /** Gives entries to consumers for as long as there are both. */
  handOut(): void {
    while (this.messageCount > 0) {
      const consumer = this.#nextTaker()
      if (consumer === undefined) return
      consumer.take(this.shift()!)
    }
  }

  /** The oldest entry, which is the caller's from now on. */
  shift(): Entry | undefined {
    if (this.messageCount === 0) return undefined
    const entry = this.#entries[this.#head]
    this.#entries[this.#head++] = undefined
    if (this.#head >= GAP_TO_CLOSE && this.#head * 2 >= this.#entries.length) this.#closeGap()
    return entry
  }

  /** Takes entries back to where they were, marked as redelivered. Those of a deleted queue are gone. */
  requeue(entries: Entry[]): void {
    if (this.#isDeleted || entries.length === 0) return
    for (const entry of entries) entry.redelivered = true
    entries.sort((a, b) => a.position - b.position)
    const next = this.#entries[this.#head]
    const allInFront = next === undefined || entries[entries.length - 1]!.position < next.position
    if (allInFront && entries.length <= this.#head) {
      this.#head -= entries.length
      for (const [index, entry] of entries.entries()) this.#entries[this.#head + index] = entry
    } else {
      this.#closeGap()
      this.#entries = [...(this.#entries as Entry[]), ...entries].sort((a, b) => a.position - b.position)
    }
    this.handOut()
  }

  /** Drops what waits; how many that was. */
  purge(): number {
    const count = this.messageCount
    this.#entries = []
    this.#head = 0
    return count
  }

  addConsumer(consumer: Taker): void {
    this.#consumers.push(consumer)
  }

  removeConsumer(consumer: Taker): void {
    const index = this.#consumers.indexOf(consumer)
    if (index >= 0) this.#consumers.splice(index, 1)
  }

  /** Ends the queue: entries are dropped and consumers told. Only the virtual host calls this. */
  delete(): void {
    this.#isDeleted = true
    this.purge()
    for (const consumer of this.#consumers.splice(0)) consumer.queueDeleted()
  }

  #nextTaker(): Taker | undefined {
    for (let tried = 0; tried < this.#consumers.length; tried++) {
      const consumer = this.#consumers[this.#turn++ % this.#consumers.length]!
      if (consumer.canTake()) return consumer
    }
    return undefined
  }

  #closeGap(): void {
    this.#entries.splice(0, this.#head)
    this.#head = 0
  }
}
