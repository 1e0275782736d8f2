/**
 * RFC 6455 as a client hears it: bytes of one connection in, messages and control frames out. Frames are read where the
 * socket put them; only a frame cut by the end of a read, and the pieces of a fragmented message, are copied. It knows no
 * sockets and never throws, whatever the bytes are.
 *
 * Text is not checked for UTF-8: what counts is the token in it, and a check would cost more than all the rest. Lengths
 * written in more bytes than needed are accepted. The `ws` engine does the same.
 */

import { MAX_FRAGMENTS } from '../engine.ts'
import { NO_STATUS } from '../engines/connection-end.ts'
import { FIN, headerBytes, headerFault, isCloseCode, OPCODE_BITS, Opcode, payloadBytes } from './frame-header.ts'
import { GrowingBytes } from './growing-bytes.ts'

/** What a reader tells; one per thread serves all readers. `data[start, end)` is valid during the call only. */
export interface FrameSink {
  message(slot: number, data: Uint8Array, start: number, end: number, isBinary: boolean, receivedUs: number): void
  ping(slot: number, data: Uint8Array, start: number, end: number): void
  pong(): void
  /** The target says goodbye; nothing it sends afterwards is read. `reason` is a copy. */
  closeFrame(slot: number, closeCode: number, reason: Uint8Array): void
  /** The target broke a rule; nothing it sends afterwards is read. */
  fault(slot: number, code: 'protocol-error' | 'frame-too-big', text: string): void
}

interface OpenMessage {
  readonly isBinary: boolean
  readonly payload: GrowingBytes
  fragments: number
}

const CUT = -1
const SHORTEST_HEADER_BYTES = 2

/** One per connection; small, since there are as many as clients. */
export class FrameReader {
  readonly #sink: FrameSink
  readonly #slot: number
  readonly #maxFrameBytes: number
  /** The beginning of a frame that the last read did not complete. */
  #cut: GrowingBytes | undefined
  /** A message of which fragments are missing. */
  #message: OpenMessage | undefined
  #isOver = false

  constructor(sink: FrameSink, slot: number, maxFrameBytes: number) {
    this.#sink = sink
    this.#slot = slot
    this.#maxFrameBytes = maxFrameBytes
  }

  /** Reads no more; what is left of the current read is thrown away. */
  stop(): void {
    this.#isOver = true
    this.#cut = undefined
    this.#message = undefined
  }

  /** Takes the bytes of one read, of which `receivedUs` is the time. */
  read(data: Uint8Array, start: number, end: number, receivedUs: number): void {
    let at = this.#cut === undefined ? start : this.#finishCutFrame(this.#cut, data, start, end, receivedUs)
    while (at < end && !this.#isOver) {
      const next = this.#frame(data, at, end, receivedUs)
      if (next === CUT) {
        this.#cut = new GrowingBytes()
        this.#cut.append(data, at, end)
        return
      }
      at = next
    }
  }

  /**
   * Reads the frame at `at` if it is whole, and returns where the next one begins, or CUT. Checks follow the order of the bytes, so
   * a faulty header is a fault as soon as it is there.
   */
  #frame(data: Uint8Array, at: number, end: number, receivedUs: number): number {
    if (end - at < SHORTEST_HEADER_BYTES) return CUT
    const first = data[at]!
    const fault = headerFault(first, data[at + 1]!, this.#message !== undefined)
    if (fault !== undefined) return this.#fault('protocol-error', fault, end)
    const bodyAt = at + headerBytes(data[at + 1]!)
    if (bodyAt > end) return CUT
    const length = payloadBytes(data, at)
    const opcode = first & OPCODE_BITS
    if (opcode < Opcode.close && length > this.#allowedBytes(opcode)) {
      return this.#fault('frame-too-big', `a message of more than ${this.#maxFrameBytes} bytes`, end)
    }
    const bodyEnd = bodyAt + length
    if (bodyEnd > end) return CUT

    if (opcode >= Opcode.close) this.#control(opcode, data, bodyAt, bodyEnd)
    else if ((first & FIN) === 0 || opcode === Opcode.continuation) this.#fragment(first, data, bodyAt, bodyEnd, receivedUs)
    else this.#sink.message(this.#slot, data, bodyAt, bodyEnd, opcode === Opcode.binary, receivedUs)
    return bodyEnd
  }

  #allowedBytes(opcode: number): number {
    return opcode === Opcode.continuation ? this.#maxFrameBytes - this.#message!.payload.length : this.#maxFrameBytes
  }

  #control(opcode: number, data: Uint8Array, start: number, end: number): void {
    if (opcode === Opcode.pong) this.#sink.pong()
    else if (opcode === Opcode.ping) this.#sink.ping(this.#slot, data, start, end)
    else this.#close(data, start, end)
  }

  #close(data: Uint8Array, start: number, end: number): void {
    const closeCode = start === end ? NO_STATUS : (data[start]! << 8) | data[start + 1]!
    if (start !== end && !isCloseCode(closeCode)) {
      this.#fault('protocol-error', `close code ${closeCode}`, end)
      return
    }
    this.stop()
    // A copy, which `slice` of a Buffer is not: the reason is told when the connection has ended, and the read buffer has long gone on.
    this.#sink.closeFrame(this.#slot, closeCode, new Uint8Array(data.subarray(Math.min(start + 2, end), end)))
  }

  #fragment(first: number, data: Uint8Array, start: number, end: number, receivedUs: number): void {
    const message = this.#message ?? { isBinary: (first & OPCODE_BITS) === Opcode.binary, payload: new GrowingBytes(), fragments: 0 }
    this.#message = message
    if (++message.fragments > MAX_FRAGMENTS) {
      this.#fault('protocol-error', `a message in more than ${MAX_FRAGMENTS} fragments`, end)
      return
    }
    const { payload, isBinary } = message
    payload.append(data, start, end)
    if ((first & FIN) === 0) return
    this.#message = undefined
    this.#sink.message(this.#slot, payload.data, 0, payload.length, isBinary, receivedUs)
  }

  /** Adds bytes to the cut frame until it is whole, and reads it; returns where in `data` the next frame begins. */
  #finishCutFrame(cut: GrowingBytes, data: Uint8Array, start: number, end: number, receivedUs: number): number {
    let at = start
    while (at < end) {
      const taken = Math.min(missingBytes(cut), end - at)
      cut.append(data, at, at + taken)
      at += taken
      if (this.#frame(cut.data, 0, cut.length, receivedUs) === CUT) continue
      this.#cut = undefined
      return at
    }
    return end
  }

  /** Returns `end`, where reading goes on: nowhere. */
  #fault(code: 'protocol-error' | 'frame-too-big', text: string, end: number): number {
    this.stop()
    this.#sink.fault(this.#slot, code, text)
    return end
  }
}

/** How many bytes a cut frame lacks: of its header, or of its payload once the header says how long that is. */
function missingBytes({ data, length }: GrowingBytes): number {
  if (length < SHORTEST_HEADER_BYTES) return SHORTEST_HEADER_BYTES - length
  const header = headerBytes(data[1]!)
  return length < header ? header - length : header + payloadBytes(data, 0) - length
}
