/**
 * The receive hot path: finds the tokens in a payload and books them. It allocates nothing, knows no sockets, dialects, metrics
 * or reports, and is told when the bytes were read.
 *
 * Nearly every payload of a client looks like the one before: one token, at the same offset, in as many bytes. Such a payload
 * costs one look at that offset. Any other is searched from end to end, since it may hold several tokens.
 */
import type { Books } from '../measure/books.ts'
import type { TokenReader } from '../probe/codec.ts'
import { TOKEN_BYTES } from '../probe/probe.ts'

/** No payload has this length. */
const UNKNOWN = -1

export class Deliveries {
  readonly #books: Books
  readonly #token: TokenReader
  /** By slot: the length of the last payload that was searched and held one token, and where. */
  readonly #lengths: Int32Array
  readonly #offsets: Int32Array

  constructor(books: Books, token: TokenReader, slots: number) {
    this.#books = books
    this.#token = token
    this.#lengths = new Int32Array(slots).fill(UNKNOWN)
    this.#offsets = new Int32Array(slots)
  }

  /** Books every token in `data[start, end)`; false when there is none. */
  book(slot: number, data: Uint8Array, start: number, end: number, receivedUs: number, isRedelivery: boolean): boolean {
    if (end - start === this.#lengths[slot] && this.#token.read(data, start + this.#offsets[slot]!, end)) {
      this.#bookToken(slot, receivedUs, isRedelivery)
      return true
    }
    return this.#search(slot, data, start, end, receivedUs, isRedelivery)
  }

  #search(slot: number, data: Uint8Array, start: number, end: number, receivedUs: number, isRedelivery: boolean): boolean {
    const first = this.#token.findToken(data, start, end)
    if (first < 0) return false
    let tokens = 0
    for (let at = first; at >= 0; at = this.#token.findToken(data, at + TOKEN_BYTES, end)) {
      this.#bookToken(slot, receivedUs, isRedelivery)
      tokens++
    }
    this.#lengths[slot] = tokens === 1 ? end - start : UNKNOWN
    this.#offsets[slot] = first - start
    return true
  }

  #bookToken(slot: number, receivedUs: number, isRedelivery: boolean): void {
    if (this.#token.isOwnRun) this.#books.delivery(slot, this.#token, receivedUs, isRedelivery)
    else this.#books.foreign()
  }
}
