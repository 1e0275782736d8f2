/**
 * The table of outstanding probes of one channel: handed to the broker, fate not known yet. Keys are delivery tags, which the
 * broker counts from 1 on each channel. The client library forgets its confirms when a channel closes; this table does not.
 */
import type { InjectionOutcome } from './injector.ts'

interface Entry {
  readonly stream: number
  readonly sequence: number
  readonly injectedUs: number
  isReturned: boolean
}

/** `injectedUs` is what was given to `add`. */
export type Settle = (stream: number, sequence: number, outcome: InjectionOutcome, injectedUs: number) => void

export class Outstanding {
  // A Map iterates in order of insertion, which is the order of tags: `multiple` needs that.
  readonly #entries = new Map<number, Entry>()
  #lastTag = 0

  get size(): number {
    return this.#entries.size
  }

  /** Books a probe and returns the delivery tag the broker will give it. */
  add(stream: number, sequence: number, injectedUs: number): number {
    this.#lastTag += 1
    this.#entries.set(this.#lastTag, { stream, sequence, injectedUs, isReturned: false })
    return this.#lastTag
  }

  /** The broker gave the probe back; the confirm that follows settles it as returned. Unknown tags are ignored. */
  markReturned(tag: number): void {
    const entry = this.#entries.get(tag)
    if (entry !== undefined) entry.isReturned = true
  }

  /** Settles the probe with this tag, or all up to it when `isMultiple` (tag 0: all). Tags settled before are ignored. */
  confirm(tag: number, isMultiple: boolean, outcome: 'confirmed' | 'nacked', settle: Settle): void {
    if (!isMultiple) {
      this.#settle(tag, outcome, settle)
      return
    }
    for (const outstandingTag of this.#entries.keys()) {
      if (tag !== 0 && outstandingTag > tag) return
      this.#settle(outstandingTag, outcome, settle)
    }
  }

  /** The channel is gone: what was returned stays returned, the rest is unknown. */
  abandon(settle: Settle): void {
    for (const tag of this.#entries.keys()) this.#settle(tag, 'unknown', settle)
  }

  #settle(tag: number, outcome: InjectionOutcome, settle: Settle): void {
    const entry = this.#entries.get(tag)
    if (entry === undefined) return
    this.#entries.delete(tag)
    settle(entry.stream, entry.sequence, entry.isReturned ? 'returned' : outcome, entry.injectedUs)
  }
}
