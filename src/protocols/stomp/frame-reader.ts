/**
 * Cuts a client's byte stream into STOMP frames: several in one WebSocket message, or one over several, with heart-beat line
 * ends between them. It finds command, headers and body in place; the two headers that every MESSAGE needs are read on the
 * way, others on demand. It knows nothing of what frames mean.
 *
 *   reader.push(data, start, end)
 *   while (reader.next()) …reader.isMessage, reader.data[reader.bodyStart, reader.bodyEnd)…
 *   if (reader.fault !== undefined) …
 */
import { ByteWindow } from '../byte-window.ts'

/** Commands and headers together; servers allow less. Bounds what is searched for the end of headers. */
const HEAD_LIMIT_BYTES = 64 * 1024
/** The longest command a server says is CONNECTED: bytes that are not STOMP are told early. */
const COMMAND_LIMIT_BYTES = 16
const NUL = 0x00
const LF = 0x0a
const CR = 0x0d
const COLON = 0x3a
const DIGIT_0 = 0x30
const DIGIT_9 = 0x39
const SPACE = 0x20

const MESSAGE = Buffer.from('MESSAGE')
const CONTENT_LENGTH = Buffer.from('content-length:')
const REDELIVERED = Buffer.from('redelivered:')
const TRUE = Buffer.from('true')

export class FrameReader {
  /** The current frame: valid until `next` is called again. */
  data: Uint8Array
  bodyStart = 0
  bodyEnd = 0
  isMessage = false
  /** The frame has the header `redelivered:true`, as RabbitMQ and ActiveMQ say it. */
  isRedelivery = false
  /** Why nothing more will be read; goes on from "the target". */
  fault: string | undefined
  readonly #window = new ByteWindow()
  readonly #limitBytes: number
  #isClosed = false
  #commandStart = 0
  #commandEnd = 0
  #headersStart = 0
  #contentLength = -1
  #hasRedelivered = false
  /** Body bytes of the unfinished frame that were already searched for its NUL. */
  #searchedBytes = 0

  /** `limitBytes`: a frame with a longer body is a fault. */
  constructor(limitBytes: number) {
    this.#limitBytes = limitBytes
    this.data = this.#window.data
  }

  push(data: Uint8Array, start: number, end: number): void {
    if (!this.#isClosed) this.#window.push(data, start, end)
  }

  /** Moves to the next whole frame; false when there is none yet, or a fault. */
  next(): boolean {
    const window = this.#window
    const { data, end } = window
    this.data = data
    window.at = skipLineEnds(data, window.at, end)
    if (window.at === end) return this.#stop()

    const bodyStart = this.#readHead(data, window.at, end)
    if (bodyStart === undefined) return this.#stop()
    const bodyEnd = this.#findBodyEnd(data, bodyStart, end)
    if (bodyEnd === undefined) return this.#stop()

    this.bodyStart = bodyStart
    this.bodyEnd = bodyEnd
    this.#searchedBytes = 0
    window.at = skipLineEnds(data, bodyEnd + 1, end)
    return true
  }

  /** Whether a frame has begun and not ended. */
  get isInsideFrame(): boolean {
    return this.#window.hasRest
  }

  get command(): string {
    return text(this.data, this.#commandStart, this.#commandEnd)
  }

  /** The value of the first header of that name as it stands on the wire, escapes included. */
  header(name: string): string | undefined {
    const lines = text(this.data, this.#headersStart, this.bodyStart).split(/\r?\n/)
    return lines.find((line) => line.startsWith(`${name}:`))?.slice(name.length + 1)
  }

  /** The body as text, at most its first `limitBytes`. */
  bodyText(limitBytes: number): string {
    return text(this.data, this.bodyStart, Math.min(this.bodyEnd, this.bodyStart + limitBytes))
  }

  /** Reads command and headers line by line; answers where the body starts, or undefined when they are not all there or broken. */
  #readHead(data: Uint8Array, start: number, end: number): number | undefined {
    this.#contentLength = -1
    this.isRedelivery = false
    this.#hasRedelivered = false
    let at = start
    while (at < end && isCapital(data[at]!)) at++
    this.#commandStart = start
    this.#commandEnd = at
    if (at < end && data[at] === CR) at++
    if ((at < end && data[at] !== LF) || at - start > COMMAND_LIMIT_BYTES) {
      this.fault = 'sent what is not a STOMP frame'
      return undefined
    }
    if (at === end) return undefined
    this.isMessage = isBytes(data, start, this.#commandEnd, MESSAGE)
    this.#headersStart = at + 1

    const limit = Math.min(end, start + HEAD_LIMIT_BYTES)
    let lineStart = at + 1
    let colon = -1
    for (at = lineStart; at < limit; at++) {
      const byte = data[at]!
      if (byte === COLON && colon < 0) colon = at
      if (byte === NUL) {
        this.fault = 'sent a STOMP frame that ends within its headers'
        return undefined
      }
      if (byte !== LF) continue
      const lineEnd = withoutCarriageReturn(data, lineStart, at)
      if (lineEnd === lineStart) return at + 1
      if (colon < 0) {
        this.fault = 'sent a STOMP header without a colon'
        return undefined
      }
      this.#readHeader(data, lineStart, colon + 1, lineEnd)
      if (this.fault !== undefined) return undefined
      lineStart = at + 1
      colon = -1
    }
    if (at - start === HEAD_LIMIT_BYTES) this.fault = `sent a STOMP frame with more than ${HEAD_LIMIT_BYTES} bytes of headers`
    return undefined
  }

  /** Of repeated headers the first counts. */
  #readHeader(data: Uint8Array, nameStart: number, valueStart: number, valueEnd: number): void {
    if (isBytes(data, nameStart, valueStart, CONTENT_LENGTH)) {
      if (this.#contentLength >= 0) return
      const length = decimal(data, valueStart, valueEnd)
      if (length === undefined) this.fault = 'sent a STOMP frame whose content-length is not a number'
      else if (length > this.#limitBytes) this.fault = this.#tooLong(length)
      else this.#contentLength = length
    } else if (!this.#hasRedelivered && isBytes(data, nameStart, valueStart, REDELIVERED)) {
      this.#hasRedelivered = true
      this.isRedelivery = isBytes(data, valueStart, valueEnd, TRUE)
    }
  }

  /** A body ends after `content-length` bytes, or else at the first NUL; undefined when that is not there yet, or wrong. */
  #findBodyEnd(data: Uint8Array, start: number, end: number): number | undefined {
    if (this.#contentLength >= 0) {
      const bodyEnd = start + this.#contentLength
      if (bodyEnd >= end) return undefined
      if (data[bodyEnd] === NUL) return bodyEnd
      this.fault = 'sent a STOMP frame without a NUL after its content-length'
      return undefined
    }
    // `indexOf` sees the whole buffer, and one buffer may serve many sockets: what it finds past `end` is nobody's.
    const found = data.indexOf(NUL, start + this.#searchedBytes)
    if (found >= 0 && found < end) return found
    this.#searchedBytes = end - start
    if (this.#searchedBytes > this.#limitBytes) this.fault = this.#tooLong(this.#searchedBytes)
    return undefined
  }

  #tooLong(bytes: number): string {
    return `sent a STOMP frame of ${bytes} bytes, more than MAX_FRAME_BYTES (${this.#limitBytes})`
  }

  /** Nothing more is read, and nothing kept. */
  close() {
    this.#isClosed = true
    this.#window.at = this.#window.end
    this.#window.keep()
    this.data = this.#window.data
  }

  /** What is unread waits for the next message. */
  #stop(): false {
    if (this.fault !== undefined) this.close()
    this.#window.keep()
    this.data = this.#window.data
    return false
  }
}

/** Line ends between frames are heart-beats, or decoration after a NUL. */
function skipLineEnds(data: Uint8Array, start: number, end: number): number {
  let at = start
  while (at < end && (data[at] === LF || data[at] === CR)) at++
  return at
}

const isCapital = (byte: number): boolean => byte >= 0x41 && byte <= 0x5a

/** 1.2 allows carriage return and line feed; in older versions a carriage return never ends a line that a server wrote. */
const withoutCarriageReturn = (data: Uint8Array, start: number, end: number): number =>
  end > start && data[end - 1] === CR ? end - 1 : end

function isBytes(data: Uint8Array, start: number, end: number, wanted: Uint8Array): boolean {
  if (end - start !== wanted.length) return false
  for (let index = 0; index < wanted.length; index++) if (data[start + index] !== wanted[index]) return false
  return true
}

/** Digits only, but for the spaces that 1.0 servers put around values. */
function decimal(data: Uint8Array, start: number, end: number): number | undefined {
  let at = start
  while (at < end && data[at] === SPACE) at++
  let value = 0
  const first = at
  for (; at < end && data[at]! >= DIGIT_0 && data[at]! <= DIGIT_9; at++) value = value * 10 + data[at]! - DIGIT_0
  const hasDigits = at > first
  while (at < end && data[at] === SPACE) at++
  return hasDigits && at === end ? value : undefined
}

const text = (data: Uint8Array, start: number, end: number): string =>
  Buffer.from(data.buffer, data.byteOffset + start, end - start).toString('utf8')
