/**
 * Which probes anybody on a thread heard, whoever it was: it decides over probes without a confirm, tells how far a stream has
 * come, and, when probes may be sent again, which ones were.
 */
import type { HeardProbes } from './owed.ts'
import { undecidedSequences } from './owed.ts'
import type { PublisherLog } from './publisher-log.ts'
import { SequenceBits } from './sequence-bits.ts'

export class HeardStreams {
  readonly #streams: readonly number[]
  /** By stream index: its position in `#streams`. */
  readonly #positions: ReadonlyMap<number, number>
  /** A row is a position in `#streams`. */
  readonly #heard: SequenceBits
  readonly #highest: Int32Array
  /** By position, then by sequence: the sent time of the first copy heard, NaN once copies differed. Empty unless probes may be sent again. */
  readonly #sentUs: Map<number, number>[]

  /** @param streams stream indices of the thread */
  constructor(streams: readonly number[], maxBytes: number, expectsResends: boolean) {
    this.#streams = streams
    this.#positions = new Map(streams.map((stream, position) => [stream, position]))
    this.#heard = new SequenceBits(streams.length, maxBytes)
    this.#highest = new Int32Array(streams.length).fill(-1)
    this.#sentUs = expectsResends ? streams.map(() => new Map()) : []
  }

  /** A probe was heard; cheap enough for once a second and probe, not for every delivery. */
  note(position: number, sequence: number, sentUs: number): void {
    if (!this.#heard.has(position, sequence)) this.#heard.addRange(position, sequence, sequence + 1)
    if (sequence > this.#highest[position]!) this.#highest[position] = sequence
    const sentTimes = this.#sentUs[position]
    if (sentTimes !== undefined && !sentTimes.has(sequence)) sentTimes.set(sequence, sentUs)
  }

  /**
   * Whether a probe was sent more than once: copies with different sent times were heard, or it was sent after a probe of a higher
   * sequence. Asked for further copies and order breaks only.
   */
  isResent(position: number, sequence: number, sentUs: number): boolean {
    const sentTimes = this.#sentUs[position]
    if (sentTimes === undefined) return false
    const knownUs = sentTimes.get(sequence)
    if (knownUs !== undefined && knownUs !== sentUs) {
      // Equal to no time, so every further copy of this probe is known as well.
      sentTimes.set(sequence, Number.NaN)
      return true
    }
    const highestUs = sentTimes.get(this.#highest[position]!)
    return highestUs !== undefined && sequence < this.#highest[position]! && sentUs > highestUs
  }

  /** The highest sequence heard by stream index, −1 when none. */
  highest(): Record<number, number> {
    return Object.fromEntries(this.#streams.map((stream, position) => [stream, this.#highest[position]!]))
  }

  /** The probes of a log that were published, not confirmed, and heard here. */
  undecided(log: PublisherLog): HeardProbes {
    return log.streams.flatMap((stream) => {
      const position = this.#positions.get(stream.stream)
      if (position === undefined) return []
      const sequences = [...undecidedSequences(stream)].filter((sequence) => this.#heard.has(position, sequence))
      return sequences.length === 0 ? [] : [{ stream: stream.stream, sequences }]
    })
  }

  get bytes(): number {
    return this.#heard.bytes
  }

  get isOverflowed(): boolean {
    return this.#heard.isFull
  }
}
