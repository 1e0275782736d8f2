/**
 * Writes AMQP's primitive types and frames into slabs of memory. A frame's size is patched in when the frame ends. Finished
 * bytes are handed out as pieces and never touched again, so a socket may keep them for as long as it likes. It knows types and
 * frames, not methods or sockets.
 */
import { WireError } from './wire-reader.ts'

const SLAB_BYTES = 64 * 1024
/** A frame begins in a fresh slab when less than this is left, so that nearly no frame has to be moved. */
const FRAME_ROOM_BYTES = 1024
/** Bodies above this travel as pieces of their own; below, copying is cheaper than one more piece. */
const COPIED_BODY_BYTES = 4096
const FRAME_HEADER_BYTES = 7
const FRAME_END = 0xce
const TWO_TO_32 = 0x1_0000_0000

export class WireWriter {
  #slab = Buffer.allocUnsafeSlow(SLAB_BYTES)
  /** Where the bytes not yet in a piece begin. */
  #start = 0
  #offset = 0
  #frameStart = 0
  #pieces: Buffer[] = []
  #pieceBytes = 0

  /** Bytes written and not taken yet. */
  get pendingBytes(): number {
    return this.#pieceBytes + this.#offset - this.#start
  }

  /** Everything written since the last call, in order. */
  takePieces(): Buffer[] {
    this.#seal()
    const pieces = this.#pieces
    this.#pieces = []
    this.#pieceBytes = 0
    return pieces
  }

  beginFrame(type: number, channel: number): void {
    if (this.#slab.length - this.#offset < FRAME_ROOM_BYTES) this.#startSlab(SLAB_BYTES)
    this.#frameStart = this.#offset
    this.octet(type)
    this.short(channel)
    this.long(0)
  }

  endFrame(): void {
    this.#slab.writeUInt32BE(this.#offset - this.#frameStart - FRAME_HEADER_BYTES, this.#frameStart + 3)
    this.octet(FRAME_END)
  }

  /** A whole frame around ready-made bytes, which must not change afterwards. */
  frame(type: number, channel: number, payload: Buffer): void {
    if (payload.length <= COPIED_BODY_BYTES) {
      this.beginFrame(type, channel)
      this.bytes(payload)
      this.endFrame()
      return
    }
    this.beginFrame(type, channel)
    this.#slab.writeUInt32BE(payload.length, this.#frameStart + 3)
    this.#seal()
    this.#pieces.push(payload)
    this.#pieceBytes += payload.length
    this.#frameStart = this.#offset
    this.octet(FRAME_END)
  }

  octet(value: number): void {
    this.#room(1)
    this.#slab[this.#offset++] = value
  }

  short(value: number): void {
    this.#room(2)
    this.#offset = this.#slab.writeUInt16BE(value, this.#offset)
  }

  long(value: number): void {
    this.#room(4)
    this.#offset = this.#slab.writeUInt32BE(value, this.#offset)
  }

  /** A count or tag up to 2^53. */
  longlong(value: number): void {
    this.long(Math.floor(value / TWO_TO_32))
    this.long(value % TWO_TO_32)
  }

  signedOctet(value: number): void {
    this.#room(1)
    this.#offset = this.#slab.writeInt8(value, this.#offset)
  }

  signedShort(value: number): void {
    this.#room(2)
    this.#offset = this.#slab.writeInt16BE(value, this.#offset)
  }

  signedLong(value: number): void {
    this.#room(4)
    this.#offset = this.#slab.writeInt32BE(value, this.#offset)
  }

  signedLonglong(value: bigint): void {
    this.#room(8)
    this.#offset = this.#slab.writeBigInt64BE(value, this.#offset)
  }

  unsignedLonglong(value: bigint): void {
    this.#room(8)
    this.#offset = this.#slab.writeBigUInt64BE(value, this.#offset)
  }

  float(value: number): void {
    this.#room(4)
    this.#offset = this.#slab.writeFloatBE(value, this.#offset)
  }

  double(value: number): void {
    this.#room(8)
    this.#offset = this.#slab.writeDoubleBE(value, this.#offset)
  }

  shortstr(value: string): void {
    const length = Buffer.byteLength(value)
    if (length > 255) throw new WireError(`expected a short string of at most 255 bytes, got ${length}`)
    this.octet(length)
    this.#room(length)
    this.#offset += this.#slab.write(value, this.#offset)
  }

  longstr(value: Buffer): void {
    this.long(value.length)
    this.bytes(value)
  }

  bytes(value: Buffer): void {
    this.#room(value.length)
    this.#offset += value.copy(this.#slab, this.#offset)
  }

  /** Writes what `write` writes, with its length in front. */
  sized(write: () => void): void {
    this.long(0)
    // Relative to the frame: what is written may move the frame to a larger slab.
    const from = this.#offset - this.#frameStart
    write()
    const at = this.#frameStart + from
    this.#slab.writeUInt32BE(this.#offset - at, at - 4)
  }

  /** Makes room for `bytes` more; an unfinished frame that outgrows its slab moves to a larger one. */
  #room(bytes: number): void {
    if (this.#slab.length - this.#offset >= bytes) return
    const unfinished = this.#slab.subarray(this.#frameStart, this.#offset)
    this.#offset = this.#frameStart
    this.#startSlab(Math.max(SLAB_BYTES, 2 * (unfinished.length + bytes)))
    this.#offset = unfinished.copy(this.#slab)
  }

  #startSlab(bytes: number): void {
    this.#seal()
    this.#slab = Buffer.allocUnsafeSlow(bytes)
    this.#start = 0
    this.#offset = 0
    this.#frameStart = 0
  }

  #seal(): void {
    if (this.#offset === this.#start) return
    this.#pieces.push(this.#slab.subarray(this.#start, this.#offset))
    this.#pieceBytes += this.#offset - this.#start
    this.#start = this.#offset
  }
}
