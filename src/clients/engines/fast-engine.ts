/**
 * The fast engine (ENGINE=fast, ws:// without compression): plain sockets that all read into one buffer, and frames read
 * where they lie. On Linux one buffer is enough for all sockets of a thread, because each read is handled before the next
 * begins. It knows nothing of probes or subscriptions, and books what the `ws` engine books.
 */
import type { OnReadOpts } from 'node:net'
import type { Dial, EngineListener, EngineOptions } from '../engine.ts'
import type { FrameSink } from '../wire/frame-reader.ts'
import { FrameWriter } from '../wire/frame-writer.ts'
import { RandomPool } from '../wire/random-pool.ts'
import { FastConnection } from './fast-connection.ts'
import { SlottedEngine } from './slotted-engine.ts'

/** The more a read brings, the less each frame costs; beyond this nothing is gained. */
const READ_BUFFER_BYTES = 256 * 1024

export class FastEngine extends SlottedEngine<FastConnection> implements FrameSink {
  readonly options: EngineOptions
  readonly random = new RandomPool()
  readonly writer = new FrameWriter(this.random)
  /** Given to every socket, one object for all. */
  readonly onread: OnReadOpts = { buffer: Buffer.allocUnsafeSlow(READ_BUFFER_BYTES), callback: readIntoConnection }

  constructor(listener: EngineListener, options: EngineOptions) {
    super(listener)
    this.options = options
  }

  protected override connectionFor(dial: Dial): FastConnection {
    return new FastConnection(this, dial)
  }

  message(slot: number, data: Uint8Array, start: number, end: number, isBinary: boolean, receivedUs: number): void {
    this.frames++
    this.listener.onMessage(slot, data, start, end, isBinary, receivedUs)
  }

  ping(slot: number, data: Uint8Array, start: number, end: number): void {
    this.frames++
    this.connection(slot)?.pong(data.subarray(start, end))
  }

  pong(): void {
    this.frames++
  }

  closeFrame(slot: number, closeCode: number, reason: Uint8Array): void {
    this.frames++
    this.connection(slot)?.hearGoodbye(closeCode, reason)
  }

  fault(slot: number, code: 'protocol-error' | 'frame-too-big', text: string): void {
    this.connection(slot)?.complain({ code, text })
  }
}

/** Node calls this as a method of the socket that has read; a closure for each of them would cost memory per client. */
function readIntoConnection(this: FastConnection, readBytes: number, buffer: Uint8Array): boolean {
  this.received(readBytes, buffer)
  return true
}
