/**
 * The fast engine (ENGINE=fast, ws:// without compression): plain sockets that all read into one buffer, and frames read
 * where they lie. On Linux one buffer is enough for all sockets of a thread, because each read is handled before the next
 * begins. It knows nothing of probes or subscriptions, and books what the `ws` engine books.
 */
import { randomBytes } from 'node:crypto'
import { type OnReadOpts, Socket, type SocketConstructorOpts } from 'node:net'
import type { CountedCode } from '../errors.ts'
import { type EndFacts, explainEnd, type Fault, NO_STATUS } from './connection-end.ts'
import { CLOSE_GRACE_MS, type ConnectionEnd, type Dial, type Engine, type EngineListener, type EngineOptions } from './engine.ts'
import { Opcode } from './frame-header.ts'
import { FrameReader, type FrameSink } from './frame-reader.ts'
import { closePayload, FrameWriter } from './frame-writer.ts'
import { GrowingBytes } from './growing-bytes.ts'
import { handshakeRequest, readHandshakeAnswer } from './handshake.ts'
import { tcpOptions } from './open-socket.ts'
import { boundedText, type ConnectionStage, errorCodeOf, faultOf } from './socket-faults.ts'

/** The more a read brings, the less each frame costs; beyond this nothing is gained. */
const READ_BUFFER_BYTES = 256 * 1024
/** A target that does not read its pongs gets no further ones, so that a flood of pings takes no memory. */
const PONG_BACKLOG_BYTES = 4 * 1024
const KEY_BYTES = 16
const PROTOCOL_ERROR = 1002
const MESSAGE_TOO_BIG = 1009
const NO_PAYLOAD = new Uint8Array(0)

export class FastEngine implements Engine, FrameSink {
  reads = 0
  frames = 0
  bytes = 0
  readonly listener: EngineListener
  readonly options: EngineOptions
  readonly writer = new FrameWriter()
  /** Given to every socket, one object for all. */
  readonly onread: OnReadOpts = { buffer: Buffer.allocUnsafeSlow(READ_BUFFER_BYTES), callback: readIntoConnection }
  readonly #connections: (FastConnection | undefined)[] = []

  constructor(listener: EngineListener, options: EngineOptions) {
    this.listener = listener
    this.options = options
  }

  dial(dial: Dial): void {
    const connection = new FastConnection(this, dial)
    this.#connections[dial.slot] = connection
    connection.start(dial)
  }

  send(slot: number, data: string | Uint8Array): void {
    const isText = typeof data === 'string'
    this.#connections[slot]?.send(isText ? Opcode.text : Opcode.binary, isText ? Buffer.from(data) : data)
  }

  close(slot: number, closeCode: number): void {
    this.#connections[slot]?.close(closeCode)
  }

  abort(slot: number, code: CountedCode | undefined, text: string): void {
    this.#connections[slot]?.abort(code, text)
  }

  isConnected(slot: number): boolean {
    const stage = this.#connections[slot]?.stage
    return stage !== undefined && stage !== 'connecting'
  }

  /** Frees the slot and tells the end; called once per connection. */
  ended(slot: number, end: ConnectionEnd): void {
    this.#connections[slot] = undefined
    this.listener.onEnd(slot, end)
  }

  message(slot: number, data: Uint8Array, start: number, end: number, isBinary: boolean, receivedUs: number): void {
    this.frames++
    this.listener.onMessage(slot, data, start, end, isBinary, receivedUs)
  }

  ping(slot: number, data: Uint8Array, start: number, end: number): void {
    this.frames++
    this.#connections[slot]?.pong(data.subarray(start, end))
  }

  pong(): void {
    this.frames++
  }

  closeFrame(slot: number, closeCode: number, reason: Uint8Array): void {
    this.frames++
    this.#connections[slot]?.hearGoodbye(closeCode, reason)
  }

  fault(slot: number, code: 'protocol-error' | 'frame-too-big', text: string): void {
    this.#connections[slot]?.complain({ code, text })
  }
}

/** Node calls this as a method of the socket that has read; a closure for each of them would cost memory per client. */
function readIntoConnection(this: FastConnection, readBytes: number, buffer: Uint8Array): boolean {
  this.received(readBytes, buffer)
  return true
}

/** What is only needed until the handshake is answered. */
interface Opening {
  readonly dial: Dial
  readonly key: string
  readonly answer: GrowingBytes
}

class FastConnection extends Socket {
  stage: ConnectionStage = 'connecting'
  readonly #engine: FastEngine
  readonly #slot: number
  #opening: Opening | undefined
  #reader: FrameReader | undefined
  #hasEnded = false
  #isClosing = false
  #fault: Fault | undefined
  #closeFrame: EndFacts['closeFrame']
  #socketFault: Fault | undefined
  #grace: NodeJS.Timeout | undefined

  constructor(engine: FastEngine, dial: Dial) {
    // Node's constructor takes `onread`; its types know it only as an option of `connect`.
    super({ onread: engine.onread } as SocketConstructorOpts)
    this.#engine = engine
    this.#slot = dial.slot
    this.on('connect', this.#connected)
    this.on('error', this.#failed)
    this.on('close', this.#closed)
  }

  start(dial: Dial): void {
    this.#opening = { dial, key: randomBytes(KEY_BYTES).toString('base64'), answer: new GrowingBytes() }
    try {
      this.connect(tcpOptions(dial))
    } catch (error) {
      // Told later, as every other end is: the caller is still dialing.
      process.nextTick(() => this.abort('socket-error', boundedText(String(error))))
    }
  }

  send(opcode: number, payload: Uint8Array): void {
    if (this.stage === 'open' && !this.#hasSaidGoodbye()) this.write(this.#engine.writer.frame(opcode, payload))
  }

  pong(payload: Uint8Array): void {
    if (this.writableLength < PONG_BACKLOG_BYTES) this.send(Opcode.pong, payload)
  }

  close(closeCode: number): void {
    // Before it is open there is nobody to say goodbye to; when the target has already said it, that is why it ends.
    if (this.stage !== 'open') this.abort(undefined, 'closed before it was open')
    else if (!this.#hasSaidGoodbye()) {
      this.#isClosing = true
      this.#sayGoodbye(closePayload(closeCode))
    }
  }

  abort(code: CountedCode | undefined, text: string): void {
    this.#end({ code, text })
    this.#reader?.stop()
    this.destroy()
  }

  /** Bytes have come. The time is taken first: everything else is ours and not the target's. */
  received(readBytes: number, buffer: Uint8Array): void {
    const receivedUs = this.#engine.options.nowUs()
    if (this.#hasEnded) return
    if (this.#reader === undefined) this.#answered(readBytes, buffer, receivedUs)
    else this.#read(buffer, 0, readBytes, receivedUs)
  }

  /** The target's close frame is answered; then it has a short grace to close the connection, so that its side keeps the port. */
  hearGoodbye(closeCode: number, reason: Uint8Array): void {
    this.#closeFrame = { code: closeCode, reason }
    this.#sayGoodbye(closeCode === NO_STATUS ? NO_PAYLOAD : closePayload(closeCode))
  }

  complain(fault: Fault): void {
    this.#fault ??= fault
    this.#sayGoodbye(closePayload(fault.code === 'frame-too-big' ? MESSAGE_TOO_BIG : PROTOCOL_ERROR))
    this.end()
  }

  #connected(): void {
    const { dial, key } = this.#opening!
    this.stage = 'upgrading'
    this.setNoDelay(true)
    this.write(handshakeRequest(dial.handshake, key), 'latin1')
  }

  #answered(readBytes: number, buffer: Uint8Array, receivedUs: number): void {
    const { dial, key, answer } = this.#opening!
    answer.append(buffer, 0, readBytes)
    const bytes = Buffer.from(answer.data.buffer, answer.data.byteOffset, answer.length)
    const said = readHandshakeAnswer(bytes, key, dial.handshake.subprotocols)
    if (said.kind === 'incomplete') return
    if (said.kind !== 'accepted') {
      const { kind: code, ...more } = said
      this.#end({ code, ...more })
      this.destroy()
      return
    }
    this.#open(said.subprotocol, receivedUs)
    if (said.headBytes < answer.length && !this.#hasEnded) this.#read(bytes, said.headBytes, bytes.length, receivedUs)
  }

  #open(subprotocol: string, openedUs: number): void {
    const { listener, options } = this.#engine
    this.#opening = undefined
    this.stage = 'open'
    this.#reader = new FrameReader(this.#engine, this.#slot, options.maxFrameBytes)
    listener.onOpen(this.#slot, { openedUs, localAddress: this.localAddress ?? '', localPort: this.localPort ?? 0, subprotocol })
  }

  #read(data: Uint8Array, start: number, end: number, receivedUs: number): void {
    this.#engine.reads++
    this.#engine.bytes += end - start
    this.#reader!.read(data, start, end, receivedUs)
  }

  #hasSaidGoodbye(): boolean {
    return this.#grace !== undefined
  }

  #sayGoodbye(payload: Uint8Array): void {
    this.send(Opcode.close, payload)
    this.#grace ??= setTimeout(() => this.destroy(), CLOSE_GRACE_MS)
  }

  #failed(error: Error): void {
    const fault = { code: faultOf(errorCodeOf(error), this.stage), text: boundedText(error.message) }
    if (this.stage === 'open') this.#socketFault ??= fault
    else this.#fault ??= fault
  }

  #closed(): void {
    clearTimeout(this.#grace)
    if (this.stage !== 'open') this.#fault ??= { code: 'reset-before-upgrade', text: 'connection ended before the handshake was answered' }
    this.#end(explainEnd({ isClosing: this.#isClosing, fault: this.#fault, closeFrame: this.#closeFrame, socketFault: this.#socketFault }))
  }

  #end(end: Omit<ConnectionEnd, 'wasOpen'>): void {
    if (this.#hasEnded) return
    this.#hasEnded = true
    this.#engine.ended(this.#slot, { ...end, wasOpen: this.stage === 'open' })
  }
}
