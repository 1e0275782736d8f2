/**
 * What arrived: for every row (a client and one of its streams) which sequences were delivered. In order it costs one integer; a row that
 * starts late has a missing beginning that costs nothing; holes in between are bits. It knows neither times nor what was owed.
 */
import type { OwedProbes } from './owed.ts'
import { SequenceBits } from './sequence-bits.ts'

/** What the arrival of a sequence was. */
export const Booking = {
  /** The first delivery, after lower sequences only. */
  inOrder: 0,
  /** The first delivery, after a higher sequence of the row. */
  outOfOrder: 1,
  /** A further copy. */
  copy: 2,
} as const
export type BookingCode = (typeof Booking)[keyof typeof Booking]

/** Sequences are kept as 32-bit integers; a higher one belongs to no stream. */
export const MAX_LEDGER_SEQUENCE = 2 ** 31 - 2

/** What `#from` and `#next` take per row, beside the count of holes. */
const ROW_BYTES = 12

export class Ledger {
  /** By row: delivered are the sequences of [from, next) that are no holes. Both are 0 until something is delivered. */
  readonly #from: Int32Array
  readonly #next: Int32Array
  readonly #holes: SequenceBits
  readonly #rows: number

  /** @param maxBytes what rows and holes may take together */
  constructor(rows: number, maxBytes: number) {
    this.#rows = rows
    this.#from = new Int32Array(rows)
    this.#next = new Int32Array(rows)
    this.#holes = new SequenceBits(rows, Math.max(0, maxBytes - rows * ROW_BYTES))
  }

  /** Books the arrival of a sequence up to MAX_LEDGER_SEQUENCE. On the receive path. */
  book(row: number, sequence: number): BookingCode {
    if (sequence !== this.#next[row]) return this.#bookOutOfLine(row, sequence)
    this.#next[row] = sequence + 1
    return Booking.inOrder
  }

  #bookOutOfLine(row: number, sequence: number): BookingCode {
    const from = this.#from[row]!
    const next = this.#next[row]!
    if (from === next) {
      this.#from[row] = sequence
      this.#next[row] = sequence + 1
      return Booking.inOrder
    }
    if (sequence > next) {
      this.#holes.addRange(row, next, sequence)
      this.#next[row] = sequence + 1
      return Booking.inOrder
    }
    if (sequence < from) {
      this.#holes.addRange(row, sequence + 1, from)
      this.#from[row] = sequence
      return Booking.outOfOrder
    }
    return this.#holes.remove(row, sequence) ? Booking.outOfOrder : Booking.copy
  }

  /** The highest sequence delivered to a row, or −1. */
  highest(row: number): number {
    return this.#next[row]! - 1
  }

  /** How many owed probes with `sinceUs` ≤ sent < `beforeUs` were not delivered to a row. */
  countMissing(row: number, owed: OwedProbes, sinceUs: number, beforeUs: number): number {
    if (beforeUs <= sinceUs) return 0
    let missing = owed.countSent(0, this.#from[row]!, sinceUs, beforeUs)
    if (this.#holes.count(row) > 0) {
      this.#holes.each(row, (sequence) => {
        if (owed.isOwedBetween(sequence, sinceUs, beforeUs)) missing++
      })
    }
    return missing + owed.countSent(this.#next[row]!, owed.end, sinceUs, beforeUs)
  }

  /** Visits the owed probes sent since `sinceUs` that were not delivered to a row, ascending, until `visit` returns false. */
  eachMissing(row: number, owed: OwedProbes, sinceUs: number, visit: (sequence: number) => boolean): void {
    let goesOn = true
    const look = (sequence: number): void => {
      if (goesOn && owed.isOwedBetween(sequence, sinceUs, Number.POSITIVE_INFINITY)) goesOn = visit(sequence)
    }
    const start = owed.firstSentSince(sinceUs)
    for (let sequence = start; goesOn && sequence < this.#from[row]!; sequence++) look(sequence)
    this.#holes.each(row, look)
    for (let sequence = Math.max(start, this.#next[row]!); goesOn && sequence < owed.end; sequence++) look(sequence)
  }

  get bytes(): number {
    return this.#rows * ROW_BYTES + this.#holes.bytes
  }

  /** Holes were not kept because of the limit: whatever this ledger says since then may be wrong. */
  get isOverflowed(): boolean {
    return this.#holes.isFull
  }
}
