/**
 * An AMQP client that sends whatever bytes it is told and keeps every method it hears: for tests that look at the wire itself,
 * or break it. It builds frames with the embedded broker's codec, which has tests of its own against amqplib's.
 */
import { connect, type Socket } from 'node:net'
import { EMPTY_TABLE, tableOf } from '../../src/embedded/codec/field-table.ts'
import { FRAME_BODY, FRAME_HEADER, FRAME_METHOD, FrameReader } from '../../src/embedded/codec/frame-reader.ts'
import { methodNameOf, readMethod, writeMethod } from '../../src/embedded/codec/method-codec.ts'
import type { Method, MethodArgs, MethodName } from '../../src/embedded/codec/methods.ts'
import { WireReader } from '../../src/embedded/codec/wire-reader.ts'
import { WireWriter } from '../../src/embedded/codec/wire-writer.ts'
import { eventually } from './eventually.ts'

export const PROTOCOL_HEADER = Buffer.from('AMQP\x00\x00\x09\x01', 'latin1')
const FRAME_MAX_BYTES = 131_072
const BASIC_CLASS = 60

export function methodFrame<Name extends MethodName>(channel: number, name: Name, args: MethodArgs<Name>): Buffer {
  const writer = new WireWriter()
  writer.beginFrame(FRAME_METHOD, channel)
  writeMethod(writer, name, args)
  writer.endFrame()
  return Buffer.concat(writer.takePieces())
}

/** Any frame, right or wrong; `declaredBytes` is what it claims to hold. */
export function frame(type: number, channel: number, payload: Buffer, { declaredBytes = payload.length, end = 0xce } = {}): Buffer {
  const bytes = Buffer.alloc(7 + payload.length + 1)
  bytes[0] = type
  bytes.writeUInt16BE(channel, 1)
  bytes.writeUInt32BE(declaredBytes, 3)
  payload.copy(bytes, 7)
  bytes[bytes.length - 1] = end
  return bytes
}

/** A content header; `properties` are flags and values as on the wire. */
export function headerFrame(channel: number, bodyBytes: number, properties = Buffer.alloc(2)): Buffer {
  const payload = Buffer.alloc(12 + properties.length)
  payload.writeUInt16BE(BASIC_CLASS, 0)
  payload.writeBigUInt64BE(BigInt(bodyBytes), 4)
  properties.copy(payload, 12)
  return frame(FRAME_HEADER, channel, payload)
}

/** A whole publish in three frames. */
export const publishFrames = (channel: number, exchange: string, routingKey: string, body: Buffer): Buffer =>
  Buffer.concat([
    methodFrame(channel, 'basic.publish', { ticket: 0, exchange, routingKey, mandatory: false, immediate: false }),
    headerFrame(channel, body.length),
    frame(FRAME_BODY, channel, body),
  ])

/** Everything a client says to open a connection and channel 1, in one piece. */
export const openingBytes = ({ heartbeatSeconds = 0, password = 'guest' } = {}): Buffer =>
  Buffer.concat([
    PROTOCOL_HEADER,
    methodFrame(0, 'connection.start-ok', {
      clientProperties: tableOf({
        connection_name: 'raw',
        capabilities: { 'connection.blocked': true, consumer_cancel_notify: true, authentication_failure_close: true },
      }),
      mechanism: 'PLAIN',
      response: Buffer.from(`\0guest\0${password}`),
      locale: 'en_US',
    }),
    methodFrame(0, 'connection.tune-ok', { channelMax: 2047, frameMax: FRAME_MAX_BYTES, heartbeat: heartbeatSeconds }),
    methodFrame(0, 'connection.open', { virtualHost: '/', capabilities: '', insist: false }),
    methodFrame(1, 'channel.open', { outOfBand: '' }),
  ])

export const consumeFrame = (channel: number, queue: string, noAck: boolean): Buffer =>
  methodFrame(channel, 'basic.consume', {
    ticket: 0,
    queue,
    consumerTag: '',
    noLocal: false,
    noAck,
    exclusive: false,
    noWait: false,
    arguments: EMPTY_TABLE,
  })

export class RawAmqpClient {
  readonly socket: Socket
  readonly heard: Method[] = []
  heartbeats = 0
  isClosed = false
  readonly #frames = new FrameReader(FRAME_MAX_BYTES)

  private constructor(socket: Socket) {
    this.socket = socket
    socket.on('data', (chunk) => this.#take(chunk))
    socket.on('error', () => undefined)
    socket.on('close', () => {
      this.isClosed = true
    })
  }

  static async connect(port: number): Promise<RawAmqpClient> {
    const socket = connect({ host: '127.0.0.1', port, noDelay: true })
    const client = new RawAmqpClient(socket)
    await new Promise((resolve) => socket.once('connect', resolve))
    return client
  }

  /** Connected, with channel 1 open. */
  static async open(port: number, opening?: Parameters<typeof openingBytes>[0]): Promise<RawAmqpClient> {
    const client = await RawAmqpClient.connect(port)
    client.send(openingBytes(opening))
    await client.hears('channel.open-ok')
    return client
  }

  send(bytes: Buffer): void {
    this.socket.write(bytes)
  }

  /** The first method of that name. */
  hears<Name extends MethodName>(name: Name): Promise<Extract<Method, { name: Name }>> {
    return eventually(() => this.heard.find((method) => method.name === name) as Extract<Method, { name: Name }>, `${name} was heard`)
  }

  async closes(): Promise<void> {
    await eventually(() => this.isClosed, 'the socket was closed')
  }

  destroy(): void {
    this.socket.destroy()
  }

  #take(chunk: Buffer): void {
    this.#frames.push(chunk)
    for (let next = this.#frames.next(); next !== undefined; next = this.#frames.next()) {
      if (next.type === FRAME_METHOD) {
        const reader = new WireReader(next.buffer, next.start, next.end)
        this.heard.push(readMethod(methodNameOf(reader.short(), reader.short())!, reader))
      } else if (next.type === 8) {
        this.heartbeats++
      }
    }
  }
}
