/**
 * Everything a connection sends. What is written during one pass of the event loop leaves in one write at its end. It says
 * when enough is on its way (`isCongested`), so that deliveries wait in queues instead of growing inside a socket.
 */
import type { Socket } from 'node:net'
import { FRAME_BODY, FRAME_HEADER, FRAME_HEARTBEAT, FRAME_METHOD, FRAME_OVERHEAD_BYTES } from '../codec/frame-reader.ts'
import { writeMethod } from '../codec/method-codec.ts'
import type { MethodArgs, MethodName } from '../codec/methods.ts'
import { WireWriter } from '../codec/wire-writer.ts'
import type { Message } from '../routing/message.ts'

/** Bytes on their way above which no further delivery is handed to the connection. */
const CONGESTED_BYTES = 1024 * 1024
/** Bytes on their way above which nothing more is read from the peer either, because reading makes replies. */
const CHOKED_BYTES = 4 * CONGESTED_BYTES

export class Outbox {
  /** The largest frame the peer takes, overhead included. */
  maxFrameBytes: number
  readonly #socket: Socket
  readonly #beforeFlush: () => void
  readonly #writer = new WireWriter()
  #isFlushScheduled = false
  #hasSent = false

  /** `beforeFlush` may write what it has been saving up for this pass. */
  constructor(socket: Socket, maxFrameBytes: number, beforeFlush: () => void) {
    this.#socket = socket
    this.maxFrameBytes = maxFrameBytes
    this.#beforeFlush = beforeFlush
  }

  get isCongested(): boolean {
    return this.#bytesOnTheirWay > CONGESTED_BYTES
  }

  get isChoked(): boolean {
    return this.#bytesOnTheirWay > CHOKED_BYTES
  }

  method<Name extends MethodName>(channel: number, name: Name, args: MethodArgs<Name>): void {
    this.#writer.beginFrame(FRAME_METHOD, channel)
    writeMethod(this.#writer, name, args)
    this.#writer.endFrame()
    this.flushSoon()
  }

  /** A method with content: its frame, the header's, and as many body frames as it takes. */
  content<Name extends MethodName>(channel: number, name: Name, args: MethodArgs<Name>, message: Message): void {
    this.method(channel, name, args)
    this.#writer.frame(FRAME_HEADER, channel, message.header)
    const maxPayloadBytes = this.maxFrameBytes - FRAME_OVERHEAD_BYTES
    for (let at = 0; at < message.body.length; at += maxPayloadBytes) {
      this.#writer.frame(FRAME_BODY, channel, message.body.subarray(at, at + maxPayloadBytes))
    }
  }

  /** A heartbeat, unless something was sent since the last call or is still waiting to leave. */
  heartbeatIfSilent(): void {
    const isSilent = !this.#hasSent && !this.#socket.writableNeedDrain
    this.#hasSent = false
    if (!isSilent) return
    this.#writer.beginFrame(FRAME_HEARTBEAT, 0)
    this.#writer.endFrame()
    this.flushSoon()
  }

  flushSoon(): void {
    if (this.#isFlushScheduled) return
    this.#isFlushScheduled = true
    setImmediate(() => this.flush())
  }

  flush(): void {
    this.#isFlushScheduled = false
    this.#beforeFlush()
    const pieces = this.#writer.takePieces()
    if (pieces.length === 0 || !this.#socket.writable) return
    this.#hasSent = true
    this.#socket.cork()
    for (const piece of pieces) this.#socket.write(piece)
    this.#socket.uncork()
  }

  get #bytesOnTheirWay(): number {
    return this.#writer.pendingBytes + this.#socket.writableLength
  }
}
