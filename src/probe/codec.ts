/**
 * Writes a probe's token and finds tokens in bytes. It knows nothing of frames, JSON or envelopes: a token is 64 bytes of
 * ASCII that no re-encoding changes, so it is found by its shape wherever it stands.
 *
 * Reading is on the receive path (about 30 ns a token, see bench/books.ts): four digits are checked and
 * summed in one 32-bit word, and nothing is allocated.
 */
import { assert } from '../errors.ts'
import {
  MAX_SEQUENCE,
  MAX_STREAM,
  type Probe,
  RUN_CHARACTERS,
  SEQUENCE_DIGITS,
  STREAM_CHARACTERS,
  STREAM_RADIX,
  TIME_DIGITS,
  TOKEN_BYTES,
  TOKEN_MARK,
} from './probe.ts'

const RUN_PATTERN = /^[0-9a-z]{8}$/

/** The token of a probe, times rounded to whole microseconds. A value that does not fit its field is a fault of the caller. */
export function writeToken(probe: Probe): string {
  const { run, stream, sequence } = probe
  assert(RUN_PATTERN.test(run), `A run id is 8 characters of 0-9 and a-z, got "${run}"`)
  const fields = [
    run,
    streamText(stream),
    digits('sequence', sequence, SEQUENCE_DIGITS, MAX_SEQUENCE),
    digits('intendedUs', Math.round(probe.intendedUs), TIME_DIGITS, Number.MAX_SAFE_INTEGER),
    digits('sentUs', Math.round(probe.sentUs), TIME_DIGITS, Number.MAX_SAFE_INTEGER),
  ]
  return `${TOKEN_MARK}${fields.join('.')}~`
}

/** A stream index as the token spells it: four characters of base 36. */
export function streamText(stream: number): string {
  assert(isWhole(stream, MAX_STREAM), `A stream index is a whole number from 0 to ${MAX_STREAM}, got ${stream}`)
  return stream.toString(STREAM_RADIX).padStart(STREAM_CHARACTERS, '0')
}

function digits(name: string, value: number, width: number, max: number): string {
  assert(isWhole(value, max), `A probe's ${name} is a whole number from 0 to ${max}, got ${value}`)
  return String(value).padStart(width, '0')
}

const isWhole = (value: number, max: number): boolean => Number.isInteger(value) && value >= 0 && value <= max

// Offsets of the fields and of what stands between them.
const RUN_AT = TOKEN_MARK.length
const STREAM_AT = RUN_AT + RUN_CHARACTERS + 1
const SEQUENCE_AT = STREAM_AT + STREAM_CHARACTERS + 1
const INTENDED_AT = SEQUENCE_AT + SEQUENCE_DIGITS + 1
const SENT_AT = INTENDED_AT + TIME_DIGITS + 1
const CLOSE_AT = TOKEN_BYTES - 1

const TILDE = 0x7e
const DOT = 0x2e
/** `~ff1` as a little-endian word. */
const MARK_WORD = 0x31_66_66_7e
/** `0000` as a word, the high halves of its bytes, and what carries a low half above 9 into the high half. */
const ZEROS = 0x30_30_30_30
const HIGH_HALVES = 0xf0_f0_f0_f0 | 0
const CARRY = 0x06_06_06_06
/** First eight digits of the largest safe integer: a time whose first half is below it is exact as a double. */
const MAX_TIME_HALF = Math.floor(Number.MAX_SAFE_INTEGER / 1e8)

/**
 * Reads tokens in place, whatever the bytes are; one per thread. The fields describe the token that `read` or `findToken`
 * last found, and mean nothing after they found none.
 */
export class TokenReader {
  /** Whether the token carries the run id this reader was made for. */
  isOwnRun = false
  stream = 0
  // A double kept in an object field is allocated anew at each store; in a typed array it is not.
  readonly #numbers = new Float64Array(3)
  readonly #runFirst: number
  readonly #runLast: number
  #streamWord = ZEROS
  // Looking at `data.buffer` costs as much as half a token, so view and length are kept for as long as the same array is read.
  #data: Uint8Array
  #view: DataView
  #length = RUN_CHARACTERS

  /** @param run the run id that `isOwnRun` compares with */
  constructor(run: string) {
    this.#data = Buffer.from(run, 'latin1')
    this.#view = viewOf(this.#data)
    assert(this.#data.length === RUN_CHARACTERS, `A run id is 8 characters of 0-9 and a-z, got "${run}"`)
    this.#runFirst = this.#view.getInt32(0, true)
    this.#runLast = this.#view.getInt32(4, true)
  }

  /** Up to MAX_SEQUENCE, which is more than 32 bits. */
  get sequence(): number {
    return this.#numbers[0]!
  }

  /** Microseconds on the run clock. */
  get intendedUs(): number {
    return this.#numbers[1]!
  }

  /** Microseconds on the run clock. */
  get sentUs(): number {
    return this.#numbers[2]!
  }

  /** The offset of the first token that lies in `data[start, end)` and is valid in every byte, or −1. The fields then hold it. */
  findToken(data: Uint8Array, start: number, end: number): number {
    const last = Math.min(end, data.length) - TOKEN_BYTES
    for (let offset = Math.max(0, start); offset <= last; offset++) {
      if (data[offset] === TILDE && this.read(data, offset, end)) return offset
    }
    return -1
  }

  /**
   * Whether a token that is valid in every byte stands at `offset` and ends at or before `end`; if so, the fields hold it.
   * Times beyond safe integers make no token.
   */
  read(data: Uint8Array, offset: number, end: number): boolean {
    if (data !== this.#data) this.#attach(data)
    const view = this.#view
    if (offset < 0 || offset + TOKEN_BYTES > end || end > this.#length) return false
    if (
      view.getInt32(offset, true) !== MARK_WORD ||
      view.getUint8(offset + RUN_AT - 1) !== DOT ||
      view.getUint8(offset + STREAM_AT - 1) !== DOT ||
      view.getUint8(offset + SEQUENCE_AT - 1) !== DOT ||
      view.getUint8(offset + INTENDED_AT - 1) !== DOT ||
      view.getUint8(offset + SENT_AT - 1) !== DOT ||
      view.getUint8(offset + CLOSE_AT) !== TILDE
    ) {
      return false
    }

    // The ten digits of the sequence are read as 0-3, 4-7 and 6-9.
    const q0 = view.getInt32(offset + SEQUENCE_AT, true)
    const q4 = view.getInt32(offset + SEQUENCE_AT + 4, true)
    const q6 = view.getInt32(offset + SEQUENCE_AT + 6, true)
    const i0 = view.getInt32(offset + INTENDED_AT, true)
    const i4 = view.getInt32(offset + INTENDED_AT + 4, true)
    const i8 = view.getInt32(offset + INTENDED_AT + 8, true)
    const i12 = view.getInt32(offset + INTENDED_AT + 12, true)
    const s0 = view.getInt32(offset + SENT_AT, true)
    const s4 = view.getInt32(offset + SENT_AT + 4, true)
    const s8 = view.getInt32(offset + SENT_AT + 8, true)
    const s12 = view.getInt32(offset + SENT_AT + 12, true)

    // A byte is a digit when its high half is 3, and still is after adding 6. Bytes below 0x40 carry nothing to their neighbour.
    const all = q0 & q4 & q6 & i0 & i4 & i8 & i12 & s0 & s4 & s8 & s12
    const any = q0 | q4 | q6 | i0 | i4 | i8 | i12 | s0 | s4 | s8 | s12
    if ((all & HIGH_HALVES) !== ZEROS || (any & HIGH_HALVES) !== ZEROS) return false
    const carried =
      (q0 + CARRY) |
      (q4 + CARRY) |
      (q6 + CARRY) |
      (i0 + CARRY) |
      (i4 + CARRY) |
      (i8 + CARRY) |
      (i12 + CARRY) |
      (s0 + CARRY) |
      (s4 + CARRY) |
      (s8 + CARRY) |
      (s12 + CARRY)
    if ((carried & HIGH_HALVES) !== ZEROS) return false

    const intendedHalf = (Math.imul(fourDigits(i0), 10_000) + fourDigits(i4)) | 0
    const sentHalf = (Math.imul(fourDigits(s0), 10_000) + fourDigits(s4)) | 0
    if (intendedHalf >= MAX_TIME_HALF || sentHalf >= MAX_TIME_HALF) return false
    if (!this.#readRun(offset) || !this.#readStream(offset)) return false

    const numbers = this.#numbers
    numbers[0] = fourDigits(q0) * 1e6 + ((Math.imul((fourDigits(q4) / 100) | 0, 10_000) + fourDigits(q6)) | 0)
    numbers[1] = intendedHalf * 1e8 + ((Math.imul(fourDigits(i8), 10_000) + fourDigits(i12)) | 0)
    numbers[2] = sentHalf * 1e8 + ((Math.imul(fourDigits(s8), 10_000) + fourDigits(s12)) | 0)
    return true
  }

  #attach(data: Uint8Array): void {
    this.#data = data
    this.#view = viewOf(data)
    this.#length = data.length
  }

  #readRun(offset: number): boolean {
    const view = this.#view
    this.isOwnRun = view.getInt32(offset + RUN_AT, true) === this.#runFirst && view.getInt32(offset + RUN_AT + 4, true) === this.#runLast
    return this.isOwnRun || isBase36(view, offset + RUN_AT, RUN_CHARACTERS)
  }

  /** Most tokens carry the stream of the one before, so its number is kept with its four characters. */
  #readStream(offset: number): boolean {
    const word = this.#view.getInt32(offset + STREAM_AT, true)
    if (word === this.#streamWord) return true
    if (!isBase36(this.#view, offset + STREAM_AT, STREAM_CHARACTERS)) return false
    this.#streamWord = word
    this.stream = 0
    for (let at = STREAM_AT; at < STREAM_AT + STREAM_CHARACTERS; at++) {
      this.stream = this.stream * STREAM_RADIX + base36Value(this.#view.getUint8(offset + at))
    }
    return true
  }
}

const viewOf = (data: Uint8Array): DataView => new DataView(data.buffer, data.byteOffset, data.byteLength)

/** The number that four ASCII digits in a little-endian word spell: neighbours are joined to pairs, then the pairs. */
const fourDigits = (word: number): number =>
  Math.imul((Math.imul(word & 0x0f_0f_0f_0f, 10 * 256 + 1) >>> 8) & 0x00_ff_00_ff, 100 * 65_536 + 1) >>> 16

function isBase36(view: DataView, start: number, length: number): boolean {
  for (let at = start; at < start + length; at++) {
    if (base36Value(view.getUint8(at)) < 0) return false
  }
  return true
}

/** 0 to 35, or −1 for a byte that is not one of [0-9a-z]. */
function base36Value(byte: number): number {
  if (byte >= 0x30 && byte <= 0x39) return byte - 0x30
  if (byte >= 0x61 && byte <= 0x7a) return byte - 0x61 + 10
  return -1
}
