/**
 * Bytes that come piece by piece and are read as one. Room grows with what has come, not with what was announced: a header
 * may claim gigabytes.
 */
const FIRST_ROOM_BYTES = 256
const GROWTH = 2
const NO_BYTES = new Uint8Array(0)

export class GrowingBytes {
  /** The bytes so far are `data[0, length)`; the array changes when it grows. */
  data: Uint8Array = NO_BYTES
  length = 0

  append(source: Uint8Array, start: number, end: number): void {
    const needed = this.length + end - start
    if (needed > this.data.length) this.#grow(needed)
    this.data.set(source.subarray(start, end), this.length)
    this.length = needed
  }

  #grow(needed: number): void {
    const larger = new Uint8Array(Math.max(needed, GROWTH * this.data.length, FIRST_ROOM_BYTES))
    larger.set(this.data.subarray(0, this.length))
    this.data = larger
  }
}
