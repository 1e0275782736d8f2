/**
 * The rows of the books: one for each client of a thread and each stream it subscribes to. Only numbering; it books nothing.
 */

export class RosterRows {
  /** Rows in all. */
  readonly count: number
  /** Stream indices of this thread, ascending; a position in this list stands for the stream elsewhere. */
  readonly streams: readonly number[]
  /** By row: stream index, and its position in `streams`. */
  readonly streamOf: Int32Array
  readonly positionOf: Int32Array
  /** By slot: its first row; one more entry closes the last. */
  readonly #firstRow: Int32Array

  constructor(slots: number, streamsOf: (slot: number) => readonly number[]) {
    const streamsBySlot = Array.from({ length: slots }, (_, slot) => streamsOf(slot))
    const flat = streamsBySlot.flat()
    this.count = flat.length
    this.streams = [...new Set(flat)].sort((a, b) => a - b)
    this.streamOf = Int32Array.from(flat)
    const positions = new Map(this.streams.map((stream, position) => [stream, position]))
    this.positionOf = this.streamOf.map((stream) => positions.get(stream)!)
    this.#firstRow = new Int32Array(slots + 1)
    streamsBySlot.forEach((streams, slot) => {
      this.#firstRow[slot + 1] = this.#firstRow[slot]! + streams.length
    })
  }

  /** The row of a client's stream, or −1 when the client does not have it. On the receive path. */
  find(slot: number, stream: number): number {
    for (let row = this.#firstRow[slot]!; row < this.#firstRow[slot + 1]!; row++) if (this.streamOf[row] === stream) return row
    return -1
  }

  /** The rows of a client: `[first, end)`. */
  of(slot: number): { readonly first: number; readonly end: number } {
    return { first: this.#firstRow[slot]!, end: this.#firstRow[slot + 1]! }
  }
}
