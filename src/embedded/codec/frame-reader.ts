/**
 * Cuts the byte stream into frames, in place where a frame lies in one chunk; only a frame cut by the end of a chunk is
 * copied. Frames are pulled one by one, so that reading can stop between any two. It checks what holds for every frame
 * (known type, allowed size, end mark) and knows nothing of what is inside.
 */

export const FRAME_METHOD = 1
export const FRAME_HEADER = 2
export const FRAME_BODY = 3
export const FRAME_HEARTBEAT = 8

const HEADER_BYTES = 7
const END_BYTES = 1
const FRAME_END = 0xce
/** Type, channel, size and end mark around a payload. */
export const FRAME_OVERHEAD_BYTES = HEADER_BYTES + END_BYTES

/** One frame; `payload` is the part of `buffer` from `start` to `end`. Valid until the next frame is pulled. */
export interface Frame {
  type: number
  channel: number
  buffer: Buffer
  start: number
  end: number
}

/** The stream is no longer cut where the peer thinks it is: nothing after this can be read. The text is RabbitMQ's. */
export class FrameError extends Error {
  constructor(type: number, payload: Buffer, problem: string) {
    super(`type ${type}, all octets = <<${[...payload.subarray(0, MAX_SHOWN_BYTES)].join(',')}>>: ${problem}`)
    this.name = 'FrameError'
  }
}

const MAX_SHOWN_BYTES = 32
const NOTHING = Buffer.alloc(0)

export class FrameReader {
  /** The agreed size of a frame. As in RabbitMQ the overhead is not counted, because some clients forget that it should be. */
  maxFrameBytes: number
  #chunk: Buffer = NOTHING
  #offset = 0
  /** A frame cut by the end of a chunk: its first bytes, in room for all of it (or for its header until that is whole). */
  #cut: Buffer | undefined
  #cutBytes = 0
  readonly #frame: Frame = { type: 0, channel: 0, buffer: NOTHING, start: 0, end: 0 }

  constructor(maxFrameBytes: number) {
    this.maxFrameBytes = maxFrameBytes
  }

  /** The next bytes of the stream. Only when `next` has returned undefined. */
  push(chunk: Buffer): void {
    this.#chunk = chunk
    this.#offset = 0
  }

  /** The next whole frame, or undefined when more bytes are needed. Throws FrameError. */
  next(): Frame | undefined {
    if (this.#cut !== undefined) return this.#completeCut(this.#cut)
    const left = this.#chunk.length - this.#offset
    if (left < HEADER_BYTES) {
      if (left > 0) this.#cutHere(HEADER_BYTES)
      return undefined
    }
    const frameBytes = this.#frameBytesAt(this.#chunk, this.#offset)
    if (left < frameBytes) {
      this.#cutHere(frameBytes)
      return undefined
    }
    const at = this.#offset
    this.#offset += frameBytes
    return this.#frameAt(this.#chunk, at, frameBytes)
  }

  /** Sets the rest of the chunk aside as the beginning of a frame of `frameBytes`. */
  #cutHere(frameBytes: number): void {
    this.#cut = Buffer.allocUnsafe(frameBytes)
    this.#cutBytes = this.#chunk.copy(this.#cut, 0, this.#offset)
    this.#release()
  }

  #completeCut(cut: Buffer): Frame | undefined {
    this.#fill(cut)
    if (this.#cutBytes < cut.length) return undefined
    if (cut.length > HEADER_BYTES) {
      this.#cut = undefined
      return this.#frameAt(cut, 0, cut.length)
    }
    const whole = Buffer.allocUnsafe(this.#frameBytesAt(cut, 0))
    cut.copy(whole)
    this.#cut = whole
    return this.#completeCut(whole)
  }

  #fill(cut: Buffer): void {
    const copied = this.#chunk.copy(cut, this.#cutBytes, this.#offset)
    this.#cutBytes += copied
    this.#offset += copied
    if (this.#offset === this.#chunk.length) this.#release()
  }

  #release(): void {
    this.#chunk = NOTHING
    this.#offset = 0
  }

  #frameBytesAt(buffer: Buffer, at: number): number {
    const type = buffer[at]!
    const payloadBytes = buffer.readUInt32BE(at + 3)
    if (type !== FRAME_METHOD && type !== FRAME_HEADER && type !== FRAME_BODY && type !== FRAME_HEARTBEAT) {
      throw new FrameError(type, NOTHING, 'unknown_frame')
    }
    if (payloadBytes > this.maxFrameBytes) {
      throw new FrameError(type, NOTHING, `{frame_too_large,${payloadBytes},${this.maxFrameBytes - FRAME_OVERHEAD_BYTES}}`)
    }
    return payloadBytes + FRAME_OVERHEAD_BYTES
  }

  #frameAt(buffer: Buffer, at: number, frameBytes: number): Frame {
    const frame = this.#frame
    frame.type = buffer[at]!
    frame.channel = buffer.readUInt16BE(at + 1)
    frame.buffer = buffer
    frame.start = at + HEADER_BYTES
    frame.end = at + frameBytes - END_BYTES
    const end = buffer[frame.end]!
    if (end !== FRAME_END) throw new FrameError(frame.type, buffer.subarray(frame.start, frame.end), `{invalid_frame_end_marker,${end}}`)
    return frame
  }
}
