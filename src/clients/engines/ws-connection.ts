/**
 * One connection of the `ws` engine. The library does handshake and frames; this file gives it the exact request line, tells
 * how the connection ended and by whose hand, and counts. It knows nothing of probes or subscriptions.
 */
import type { ClientRequest, IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'
import { type ClientOptions, WebSocket } from 'ws'
import type { CountedCode } from '../../errors.ts'
import { CLOSE_GRACE_MS, type ConnectionEnd, type Dial, MAX_FRAGMENTS } from '../engine.ts'
import { explainEnd, type Fault, NO_CLOSE_FRAME } from './connection-end.ts'
import { isSecure, openSocket } from './open-socket.ts'
import type { Connection } from './slotted-engine.ts'
import { boundedText, type ConnectionStage, errorCodeOf, errorText, faultOf } from './socket-faults.ts'
import type { WsEngine } from './ws-engine.ts'

/** A target that does not read its pongs gets no further ones, so that a flood of pings takes no memory. */
const PONG_BACKLOG_BYTES = 4 * 1024

export class WsConnection implements Connection {
  stage: ConnectionStage = 'connecting'
  readonly #engine: WsEngine
  readonly #slot: number
  #client: WebSocket | undefined
  #socket: Socket | undefined
  /** When the bytes now being parsed were read. */
  #readUs = 0
  #wasAnswered = false
  #isClosing = false
  #hasEnded = false
  /** A broken rule of the protocol, or a failed dial: outweighs everything later. */
  #fault: Fault | undefined
  /** An error of the open socket: explains an end without a close frame. */
  #socketFault: Fault | undefined

  constructor(engine: WsEngine, dial: Dial) {
    this.#engine = engine
    this.#slot = dial.slot
  }

  start(dial: Dial): void {
    try {
      this.#client = new WebSocket(dial.handshake.url, [...dial.handshake.subprotocols], this.#clientOptions(dial))
    } catch (error) {
      // Told later, as every other end is: the caller is still dialing.
      process.nextTick(() => this.#end({ code: 'socket-error', text: boundedText(String(error)) }))
      return
    }
    this.#client
      .on('upgrade', () => {
        this.#wasAnswered = true
      })
      .on('unexpected-response', (request, response) => this.#refusedByStatus(request, response))
      .on('open', () => this.#opened())
      .on('message', (data: Buffer, isBinary) => this.#message(data, isBinary))
      .on('ping', (data) => this.#ping(data))
      .on('error', (error) => this.#failed(error))
      .on('close', (closeCode, reason) => this.#closed(closeCode, reason))
  }

  send(data: string | Uint8Array): void {
    if (this.#client?.readyState === WebSocket.OPEN) this.#client.send(data, { binary: typeof data !== 'string' })
  }

  close(closeCode: number): void {
    // Before it is open there is nobody to say goodbye to; when the target has already said it, that is why it ends.
    if (this.stage !== 'open') this.abort(undefined, 'closed before it was open')
    else if (this.#client!.readyState === WebSocket.OPEN) {
      this.#isClosing = true
      this.#client!.close(closeCode)
    }
  }

  abort(code: CountedCode | undefined, text: string): void {
    this.#end({ code, text })
    this.#client?.terminate()
  }

  #clientOptions(dial: Dial): ClientOptions {
    const { tls, maxFrameBytes, compression } = this.#engine.options
    // The types of `ws` do not know this option yet.
    const closeTimeout: object = { closeTimeout: CLOSE_GRACE_MS }
    return {
      ...closeTimeout,
      headers: { ...dial.handshake.headers },
      perMessageDeflate: compression,
      maxPayload: maxFrameBytes,
      maxFragments: MAX_FRAGMENTS,
      skipUTF8Validation: true,
      autoPong: false,
      createConnection: () => {
        this.#socket = openSocket(dial, tls)
        this.#watchStage(this.#socket, isSecure(dial.handshake.url))
        return this.#socket
      },
      finishRequest: (request) => {
        request.path = dial.handshake.requestTarget
        request.end()
      },
    }
  }

  #watchStage(socket: Socket, secure: boolean): void {
    socket.once('connect', () => {
      this.stage = secure ? 'securing' : 'upgrading'
    })
    socket.once('secureConnect', () => {
      this.stage = 'upgrading'
    })
  }

  #opened(): void {
    const socket = this.#socket!
    this.stage = 'open'
    // `ws` parses in its own `data` listener, so the time is taken in one that runs before it.
    socket.prependListener('data', (chunk: Buffer) => {
      this.#readUs = this.#engine.options.nowUs()
      this.#engine.reads++
      this.#engine.bytes += chunk.length
    })
    socket.on('error', (error) => {
      this.#socketFault ??= { code: faultOf(errorCodeOf(error), 'open'), text: errorText(error) }
    })
    this.#engine.listener.onOpen(this.#slot, {
      openedUs: this.#engine.options.nowUs(),
      localAddress: socket.localAddress ?? '',
      localPort: socket.localPort ?? 0,
      subprotocol: this.#client!.protocol,
    })
  }

  #message(data: Buffer, isBinary: boolean): void {
    if (this.#hasEnded) return
    this.#engine.frames++
    // Inflating happens on another thread, so the time of the read is only known without compression.
    const receivedUs = this.#engine.options.compression ? this.#engine.options.nowUs() : this.#readUs
    this.#engine.listener.onMessage(this.#slot, data, 0, data.length, isBinary, receivedUs)
  }

  #ping(data: Buffer): void {
    this.#engine.frames++
    if (this.#client!.bufferedAmount < PONG_BACKLOG_BYTES) this.#client!.pong(data)
  }

  #refusedByStatus(request: ClientRequest, response: IncomingMessage): void {
    const httpStatus = response.statusCode ?? 0
    request.destroy()
    // 101 without an `Upgrade` header is a response to Node, not an upgrade.
    const code = httpStatus === 101 ? 'bad-upgrade' : 'http-status'
    this.#end({ code, httpStatus, text: boundedText(`http ${httpStatus} ${response.statusMessage ?? ''}`) })
    this.#client!.terminate()
  }

  #failed(error: Error): void {
    this.#fault ??= { code: this.#codeOf(error), text: errorText(error) }
  }

  #codeOf(error: Error): CountedCode {
    const errorCode = errorCodeOf(error)
    if (this.stage !== 'open') return this.#wasAnswered ? 'bad-upgrade' : faultOf(errorCode, this.stage)
    if (errorCode === 'WS_ERR_UNSUPPORTED_MESSAGE_LENGTH' || errorCode === 'WS_ERR_UNSUPPORTED_DATA_PAYLOAD_LENGTH') return 'frame-too-big'
    return errorCode?.startsWith('WS_ERR_') ? 'protocol-error' : faultOf(errorCode, this.stage)
  }

  #closed(code: number, reason: Buffer): void {
    this.#end(
      explainEnd({
        isClosing: this.#isClosing,
        fault: this.#fault,
        closeFrame: code === NO_CLOSE_FRAME ? undefined : { code, reason },
        socketFault: this.#socketFault,
      }),
    )
  }

  #end(end: Omit<ConnectionEnd, 'wasOpen'>): void {
    if (this.#hasEnded) return
    this.#hasEnded = true
    this.#engine.ended(this.#slot, { ...end, wasOpen: this.stage === 'open' })
  }
}
