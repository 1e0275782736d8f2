/**
 * A WebSocket client made of a bare socket: it shows every frame as it came over the wire, faults included, and answers nothing
 * unless told to. For tests that compare what a target wrote with what it says it wrote.
 */
import { randomBytes } from 'node:crypto'
import { connect, type Socket } from 'node:net'
import { TokenReader } from '../../src/probe/codec.ts'
import { eventually } from './eventually.ts'

export interface RawFrame {
  readonly isFinal: boolean
  readonly reservedBits: number
  readonly opcode: number
  readonly isMasked: boolean
  readonly payload: Buffer
}

export interface RawClientOptions {
  /** Path and query exactly as they go on the request line. */
  readonly requestTarget?: string
  readonly headers?: Readonly<Record<string, string>>
  /** Whether pings are answered, default true. */
  readonly answersPings?: boolean
}

export class RawClient {
  readonly socket: Socket
  readonly frames: RawFrame[] = []
  /** When each frame was read, on the clock of `performance.now()`. */
  readonly frameTimesMs: number[] = []
  /** The answer to the handshake, once it has come. */
  head: string | undefined
  hasEnded = false
  isClosed = false
  /** Known once connected, and still when the socket is gone. */
  localPort: number | undefined
  errorCode: string | undefined
  readonly #answersPings: boolean
  #rest: Buffer = Buffer.alloc(0)

  constructor(port: number, { requestTarget = '/', headers = {}, answersPings = true }: RawClientOptions = {}) {
    this.#answersPings = answersPings
    this.socket = connect({ port, host: '127.0.0.1', noDelay: true })
    const lines = Object.entries({
      Host: `127.0.0.1:${port}`,
      Upgrade: 'websocket',
      Connection: 'Upgrade',
      'Sec-WebSocket-Version': '13',
      'Sec-WebSocket-Key': 'dGhlIHNhbXBsZSBub25jZQ==', // RFC 6455 §1.3, whose answer is known
      ...headers,
    }).map(([name, value]) => `${name}: ${value}\r\n`)
    this.socket.write(`GET ${requestTarget} HTTP/1.1\r\n${lines.join('')}\r\n`)
    this.socket.on('connect', () => {
      this.localPort = this.socket.localPort
    })
    this.socket.on('data', (chunk) => this.#read(chunk))
    this.socket.on('end', () => {
      this.hasEnded = true
    })
    this.socket.on('error', (error: NodeJS.ErrnoException) => {
      this.errorCode = error.code
    })
    this.socket.on('close', () => {
      this.isClosed = true
    })
  }

  /** Opened and acknowledged; also resolves when the connection has ended instead. */
  static async ready(port: number, requestTarget: string, options: RawClientOptions = {}): Promise<RawClient> {
    const client = new RawClient(port, { requestTarget, ...options })
    await eventually(() => client.isClosed || client.texts.some((text) => text.includes('"subscribed"')), 'a subscription is acknowledged')
    return client
  }

  get texts(): string[] {
    return this.frames.filter((frame) => frame.opcode === 1).map((frame) => frame.payload.toString())
  }

  /** The sequences of all tokens, in the order they came: all frames or those of one run and stream. */
  sequences(run?: string, stream = 0): number[] {
    const reader = new TokenReader(run ?? '00000000')
    const sequences: number[] = []
    for (const payload of this.#messages()) {
      for (let at = reader.findToken(payload, 0, payload.length); at >= 0; at = reader.findToken(payload, at + 1, payload.length)) {
        if (run === undefined || (reader.isOwnRun && reader.stream === stream)) sequences.push(reader.sequence)
      }
    }
    return sequences
  }

  send(opcode: number, payload: string | Uint8Array, { isFinal = true, isMasked = true, reservedBits = 0 } = {}): void {
    this.socket.write(maskedFrame((isFinal ? 0x80 : 0) | reservedBits | opcode, Buffer.from(payload), isMasked))
  }

  async frameCount(count: number): Promise<void> {
    await eventually(() => this.frames.length >= count, `${count} frames have come`)
  }

  async hasProbe(sequence: number): Promise<void> {
    await eventually(() => this.sequences().includes(sequence), `probe ${sequence} has come`)
  }

  async closed(): Promise<void> {
    await eventually(() => this.isClosed, 'the connection has ended')
  }

  /** Payloads of text messages, fragments put together. */
  #messages(): Buffer[] {
    const messages: Buffer[] = []
    let pieces: Buffer[] = []
    for (const { opcode, isFinal, payload } of this.frames) {
      if (opcode > 1) continue
      pieces.push(payload)
      if (!isFinal) continue
      messages.push(Buffer.concat(pieces))
      pieces = []
    }
    return messages
  }

  #read(chunk: Buffer): void {
    this.#rest = Buffer.concat([this.#rest, chunk])
    if (this.head === undefined) {
      const end = this.#rest.indexOf('\r\n\r\n')
      if (end < 0) return
      this.head = this.#rest.toString('latin1', 0, end)
      this.#rest = this.#rest.subarray(end + 4)
      if (!this.head.startsWith('HTTP/1.1 101')) return
    }
    for (let frame = this.#take(); frame !== undefined; frame = this.#take()) {
      this.frames.push(frame)
      this.frameTimesMs.push(performance.now())
      if (frame.opcode === 9 && this.#answersPings) this.send(10, frame.payload)
    }
  }

  #take(): RawFrame | undefined {
    const bytes = this.#rest
    if (bytes.length < 2) return undefined
    const short = bytes[1]! & 0x7f
    const lengthBytes = short === 126 ? 2 : short === 127 ? 8 : 0
    if (bytes.length < 2 + lengthBytes) return undefined
    const length = short === 126 ? bytes.readUInt16BE(2) : short === 127 ? Number(bytes.readBigUInt64BE(2)) : short
    const isMasked = (bytes[1]! & 0x80) !== 0
    const start = 2 + lengthBytes + (isMasked ? 4 : 0)
    if (bytes.length < start + length) return undefined
    this.#rest = bytes.subarray(start + length)
    return {
      isFinal: (bytes[0]! & 0x80) !== 0,
      reservedBits: bytes[0]! & 0x70,
      opcode: bytes[0]! & 0x0f,
      isMasked,
      payload: Buffer.from(bytes.subarray(start, start + length)),
    }
  }
}

function maskedFrame(firstByte: number, payload: Buffer, isMasked: boolean): Buffer {
  const mask = isMasked ? randomBytes(4) : Buffer.alloc(0)
  const length = payload.length < 126 ? Buffer.from([payload.length]) : Buffer.from([126, payload.length >> 8, payload.length & 0xff])
  length[0]! |= isMasked ? 0x80 : 0
  const body = isMasked ? payload.map((byte, index) => byte ^ mask[index % 4]!) : payload
  return Buffer.concat([Buffer.from([firstByte]), length, mask, body])
}
