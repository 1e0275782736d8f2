/**
 * Every message the target has broadcast, in order. A well-behaved client is told everything its topics get, so its truth is
 * a pair of positions in this log and costs nothing per delivery.
 */
import type { ProbeName } from './probe-name.ts'

/** One message as the log remembers it. */
export interface Broadcast {
  /** From 0, over all topics. */
  readonly position: number
  readonly topic: string
  /** The key of the envelope it was sent in. */
  readonly stream: string
  /** Undefined for a message without a token. */
  readonly probe: ProbeName | undefined
  /** A snapshot: not told to those who followed its topic then, but to new subscribers. */
  readonly isKept: boolean
}

export class BroadcastLog {
  readonly entries: Broadcast[] = []
  readonly #limit: number
  #length = 0

  /** `limit`: entries kept; later ones are counted only, and the log says that it is cut. */
  constructor(limit: number) {
    this.#limit = limit
  }

  get length(): number {
    return this.#length
  }

  get isCut(): boolean {
    return this.#length > this.#limit
  }

  append(message: Omit<Broadcast, 'position'>): Broadcast {
    const entry = { position: this.#length, ...message }
    this.#length += 1
    if (!this.isCut) this.entries.push(entry)
    return entry
  }

  /** The kept entries of these topics with `from <= position < until`. */
  *between(topics: ReadonlySet<string>, from: number, until: number): Generator<Broadcast> {
    for (let position = from; position < Math.min(until, this.entries.length); position += 1) {
      const entry = this.entries[position] as Broadcast
      if (topics.has(entry.topic) && !entry.isKept) yield entry
    }
  }
}
