/**
 * The bytes a parser may look at: the WebSocket message just read, joined to what earlier messages left unfinished. Dialects
 * whose packets do not keep to WebSocket messages read through it. It knows nothing of any dialect and sets no limit: the
 * parser decides how long it is willing to wait.
 */

const NOTHING = new Uint8Array(0)

export class ByteWindow {
  /** `data[at, end)` is unread. The parser moves `at`; the bytes are valid until `keep` or the next `push`. */
  data: Uint8Array = NOTHING
  at = 0
  end = 0
  #rest: Uint8Array | undefined
  #restBytes = 0

  /** Adds one message. Without a rest it is looked at where it lies; only an unfinished packet, and what follows it in its message, is copied. */
  push(data: Uint8Array, start: number, end: number): void {
    if (this.#rest === undefined) {
      this.data = data
      this.at = start
      this.end = end
      return
    }
    const length = this.#restBytes + end - start
    if (this.#rest.length < length) this.#rest = grown(this.#rest, this.#restBytes, length)
    this.#rest.set(data.subarray(start, end), this.#restBytes)
    this.data = this.#rest
    this.at = 0
    this.end = length
  }

  /** The parser can go no further: what is unread waits for the next message, and a window without a rest holds no memory. */
  keep(): void {
    const length = this.end - this.at
    if (length === 0) this.#rest = undefined
    // A copy, which `slice` of a Buffer is not: one read buffer serves all sockets.
    else if (this.data !== this.#rest) this.#rest = new Uint8Array(this.data.subarray(this.at, this.end))
    else if (this.at > 0) this.#rest.copyWithin(0, this.at, this.end)
    this.#restBytes = length
    this.data = NOTHING
    this.at = 0
    this.end = 0
  }

  /** Whether a packet has begun and not ended; asked after `keep`. */
  get hasRest(): boolean {
    return this.#rest !== undefined
  }
}

/** Doubles at least, so that a packet that comes in many small pieces is copied a bounded number of times. */
function grown(rest: Uint8Array, used: number, needed: number): Uint8Array {
  const larger = new Uint8Array(Math.max(needed, 2 * rest.length))
  larger.set(rest.subarray(0, used))
  return larger
}
