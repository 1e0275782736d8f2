/**
 * Reads AMQP's primitive types, big-endian, from a slice of a buffer. It never reads past the slice: what is cut short or
 * makes no sense throws WireError. It knows types, not methods or frames.
 */
import { isUtf8 } from 'node:buffer'

/** The bytes cannot be what they claim to be. Which AMQP error that becomes is for the caller to say. */
export class WireError extends Error {
  constructor(message: string) {
    super(message)
    this.name = 'WireError'
  }
}

/** What decoding puts in place of bytes that are not UTF-8. */
const REPLACEMENT = '\uFFFD'
const TWO_TO_32 = 0x1_0000_0000

export class WireReader {
  #buffer: Buffer
  #offset: number
  #end: number

  constructor(buffer: Buffer, start = 0, end = buffer.length) {
    this.#buffer = buffer
    this.#offset = start
    this.#end = end
  }

  /** Points at another slice; one reader serves all frames of a connection. */
  reset(buffer: Buffer, start: number, end: number): void {
    this.#buffer = buffer
    this.#offset = start
    this.#end = end
  }

  get remaining(): number {
    return this.#end - this.#offset
  }

  octet(): number {
    return this.#buffer[this.#take(1)]!
  }

  short(): number {
    return this.#buffer.readUInt16BE(this.#take(2))
  }

  long(): number {
    return this.#buffer.readUInt32BE(this.#take(4))
  }

  /** A 64-bit count or tag as a number; values above 2^53 lose their last digits (no peer of ours reaches them honestly). */
  longlong(): number {
    const at = this.#take(8)
    return this.#buffer.readUInt32BE(at) * TWO_TO_32 + this.#buffer.readUInt32BE(at + 4)
  }

  signedOctet(): number {
    return this.#buffer.readInt8(this.#take(1))
  }

  signedShort(): number {
    return this.#buffer.readInt16BE(this.#take(2))
  }

  signedLong(): number {
    return this.#buffer.readInt32BE(this.#take(4))
  }

  signedLonglong(): bigint {
    return this.#buffer.readBigInt64BE(this.#take(8))
  }

  unsignedLonglong(): bigint {
    return this.#buffer.readBigUInt64BE(this.#take(8))
  }

  float(): number {
    return this.#buffer.readFloatBE(this.#take(4))
  }

  double(): number {
    return this.#buffer.readDoubleBE(this.#take(8))
  }

  /** Up to 255 bytes of UTF-8. Other bytes are refused, because a name that does not survive decoding cannot be told to others. */
  shortstr(): string {
    const length = this.octet()
    const at = this.#take(length)
    const text = this.#buffer.toString('utf8', at, at + length)
    if (text.includes(REPLACEMENT) && !isUtf8(this.#buffer.subarray(at, at + length))) {
      throw new WireError(`expected a short string in UTF-8, got ${length} other bytes`)
    }
    return text
  }

  /** A copy, because the slice may belong to a read buffer. */
  longstr(): Buffer {
    return this.bytes(this.long())
  }

  bytes(length: number): Buffer {
    const at = this.#take(length)
    return Buffer.from(this.#buffer.subarray(at, at + length))
  }

  /** A reader of the next `length` bytes, which this one then has behind it. */
  slice(length: number): WireReader {
    const at = this.#take(length)
    return new WireReader(this.#buffer, at, at + length)
  }

  #take(length: number): number {
    const at = this.#offset
    if (length > this.#end - at) throw new WireError(`expected ${length} more bytes, got ${this.#end - at}`)
    this.#offset = at + length
    return at
  }
}
