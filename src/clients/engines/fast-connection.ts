/**
 * One connection of the fast engine: a plain socket from dial to end, with the handshake before and the close handshake
 * after its frames. It *is* the socket, because Node calls the read callback as a method of the socket, and one object per
 * client is less than two.
 */
import { Socket, type SocketConstructorOpts } from 'node:net'
import type { CountedCode } from '../../errors.ts'
import { CLOSE_GRACE_MS, type ConnectionEnd, type Dial } from '../engine.ts'
import { Opcode } from '../wire/frame-header.ts'
import { FrameReader } from '../wire/frame-reader.ts'
import { closePayload } from '../wire/frame-writer.ts'
import { GrowingBytes } from '../wire/growing-bytes.ts'
import { handshakeRequest, readHandshakeAnswer } from '../wire/handshake.ts'
import { type EndFacts, explainEnd, type Fault, NO_STATUS } from './connection-end.ts'
import type { FastEngine } from './fast-engine.ts'
import { tcpOptions } from './open-socket.ts'
import type { Connection } from './slotted-engine.ts'
import { boundedText, type ConnectionStage, errorCodeOf, errorText, faultOf } from './socket-faults.ts'

/** A target that does not read its pongs gets no further ones, so that a flood of pings takes no memory. */
const PONG_BACKLOG_BYTES = 4 * 1024
const KEY_BYTES = 16
const PROTOCOL_ERROR = 1002
const MESSAGE_TOO_BIG = 1009
const NO_PAYLOAD = new Uint8Array(0)

/** What is only needed until the handshake is answered. */
interface Opening {
  readonly dial: Dial
  readonly key: string
  /** What has come of an answer that came in several reads. */
  answer: GrowingBytes | undefined
}

export class FastConnection extends Socket implements Connection {
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
    this.#opening = { dial, key: this.#engine.random.take(KEY_BYTES).toString('base64'), answer: undefined }
    try {
      this.connect(tcpOptions(dial))
    } catch (error) {
      // Told later, as every other end is: the caller is still dialing.
      process.nextTick(() => this.abort('socket-error', boundedText(String(error))))
    }
  }

  send(data: string | Uint8Array): void {
    if (typeof data === 'string') this.#frame(Opcode.text, Buffer.from(data))
    else this.#frame(Opcode.binary, data)
  }

  pong(payload: Uint8Array): void {
    if (this.writableLength < PONG_BACKLOG_BYTES) this.#frame(Opcode.pong, payload)
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
    const opening = this.#opening!
    opening.answer?.append(buffer, 0, readBytes)
    const bytes = opening.answer === undefined ? asBuffer(buffer, readBytes) : asBuffer(opening.answer.data, opening.answer.length)
    const said = readHandshakeAnswer(bytes, opening.key, opening.dial.handshake.subprotocols)
    if (said.kind === 'incomplete') {
      if (opening.answer !== undefined) return
      opening.answer = new GrowingBytes()
      opening.answer.append(buffer, 0, readBytes)
      return
    }
    if (said.kind !== 'accepted') {
      const { kind: code, ...more } = said
      this.#end({ code, ...more })
      this.destroy()
      return
    }
    this.#open(said.subprotocol, receivedUs)
    if (said.headBytes < bytes.length && !this.#hasEnded) this.#read(bytes, said.headBytes, bytes.length, receivedUs)
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

  /** Nothing is sent before the handshake is answered or after a close frame. */
  #frame(opcode: number, payload: Uint8Array): void {
    if (this.stage === 'open' && !this.#hasSaidGoodbye()) this.write(this.#engine.writer.frame(opcode, payload))
  }

  #hasSaidGoodbye(): boolean {
    return this.#grace !== undefined
  }

  #sayGoodbye(payload: Uint8Array): void {
    this.#frame(Opcode.close, payload)
    this.#grace ??= setTimeout(() => this.destroy(), CLOSE_GRACE_MS)
  }

  #failed(error: Error): void {
    const fault = { code: faultOf(errorCodeOf(error), this.stage), text: errorText(error) }
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

const asBuffer = (bytes: Uint8Array, length: number): Buffer => Buffer.from(bytes.buffer, bytes.byteOffset, length)
