/**
 * Random bytes drawn in advance: asking the system for a few at a time costs more than everything else about a frame's mask
 * or a handshake's key. Each byte is given out once.
 */
import { randomFillSync } from 'node:crypto'

const POOL_BYTES = 4 * 1024

/** One per thread. */
export class RandomPool {
  readonly #pool = Buffer.allocUnsafeSlow(POOL_BYTES)
  #next = POOL_BYTES

  /** The next `length` bytes, at most POOL_BYTES; a view that is valid until the next call. */
  take(length: number): Buffer {
    if (this.#next + length > POOL_BYTES) {
      randomFillSync(this.#pool)
      this.#next = 0
    }
    this.#next += length
    return this.#pool.subarray(this.#next - length, this.#next)
  }
}
