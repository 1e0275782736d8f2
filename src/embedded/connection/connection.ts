/**
 * One client connection: reads frames from the socket, takes it through its states, and hands what belongs to a channel to
 * that channel. It stops reading while an alarm blocks it or while the peer does not take what is sent.
 *
 *   state    | event                                          | next
 *   ---------|------------------------------------------------|----------
 *   greeting | the protocol header                            | starting (connection.start is sent)
 *            | other bytes                                    | ended (the header it should have been is sent)
 *   starting, tuning, opening: see handshake.ts               | running
 *   running  | connection.close                               | ended (close-ok is sent)
 *   any      | a connection error, here or on demand          | closing (connection.close is sent)
 *            | bytes that cannot be cut into frames           | deaf (connection.close is sent, nothing is read)
 *   closing  | connection.close-ok or connection.close        | ended
 *            | anything else                                  | closing (ignored)
 *   any      | the socket is gone, or a deadline has passed   | ended
 */
import type { Socket } from 'node:net'
import { AmqpError } from '../amqp-error.ts'
import { Channel, idsOf } from '../channel/channel.ts'
import type { ChannelLink } from '../channel/link.ts'
import { EMPTY_TABLE } from '../codec/field-table.ts'
import { FRAME_HEARTBEAT, FRAME_METHOD, type Frame, FrameError, FrameReader } from '../codec/frame-reader.ts'
import { methodNameOf, readMethod } from '../codec/method-codec.ts'
import type { Method, MethodName } from '../codec/methods.ts'
import { WireError, WireReader } from '../codec/wire-reader.ts'
import type { StandingFaults } from '../faults/standing-faults.ts'
import type { TruthLog } from '../faults/truth-log.ts'
import type { VirtualHost } from '../routing/virtual-host.ts'
import {
  type Agreement,
  advanceHandshake,
  type HandshakeRules,
  type HandshakeStage,
  hasCapability,
  PROTOCOL_HEADER,
  serverGreeting,
  UNTUNED_FRAME_MAX_BYTES,
} from './handshake.ts'
import { startHeartbeat } from './heartbeat.ts'
import { Outbox } from './outbox.ts'

/** A client that has not opened its connection by then is dropped. */
const HANDSHAKE_TIMEOUT_MS = 10_000
/** How long a peer may take to answer a close, or to read the reason, before its socket is destroyed. */
const CLOSE_TIMEOUT_MS = 2_000

type State = 'greeting' | HandshakeStage | 'running' | 'closing' | 'deaf' | 'ended'

export interface ConnectionSurroundings {
  readonly rules: HandshakeRules
  readonly virtualHost: VirtualHost
  readonly faults: StandingFaults
  readonly truth: TruthLog
  /** The socket is closed. */
  onClosed(connection: Connection): void
}

export class Connection {
  /** The broker's number for it, from 1. */
  readonly id: number
  readonly #socket: Socket
  readonly #around: ConnectionSurroundings
  readonly #frames = new FrameReader(UNTUNED_FRAME_MAX_BYTES)
  readonly #reader = new WireReader(Buffer.alloc(0))
  readonly #outbox: Outbox
  readonly #channels = new Map<number, Channel>()
  /** Channels with confirms to be written at the end of this pass. */
  readonly #confirming = new Set<Channel>()
  readonly #agreement: Agreement = { clientProperties: EMPTY_TABLE, channelMax: 0, frameMaxBytes: 0, heartbeatSeconds: 0 }
  #state: State = 'greeting'
  #greeting = Buffer.alloc(0)
  #isBlocked = false
  #isChoked = false
  #wasHeard = false
  #stopHeartbeat: () => void = () => undefined
  #deadline: NodeJS.Timeout

  constructor(id: number, socket: Socket, around: ConnectionSurroundings) {
    this.id = id
    this.#socket = socket
    this.#around = around
    this.#outbox = new Outbox(socket, UNTUNED_FRAME_MAX_BYTES, () => this.#writeConfirms())
    this.#deadline = setTimeout(() => socket.destroy(), HANDSHAKE_TIMEOUT_MS)
    socket.setNoDelay(true)
    socket.on('data', (chunk) => this.#take(chunk))
    socket.on('drain', () => this.#drained())
    // What went wrong is said by the peer or by nobody; `close` follows in any case.
    socket.on('error', () => undefined)
    socket.on('close', () => this.#socketClosed())
  }

  get remotePort(): number | undefined {
    return this.#socket.remotePort
  }

  /** The client's `connection_name`. */
  get name(): string | undefined {
    const name = this.#agreement.clientProperties.get('connection_name')
    return name?.type === 'longstr' ? name.value : undefined
  }

  get isRunning(): boolean {
    return this.#state === 'running'
  }

  get isBlocked(): boolean {
    return this.#isBlocked
  }

  get heartbeatSeconds(): number {
    return this.#agreement.heartbeatSeconds
  }

  /** The channels that are open, by number. */
  get openChannels(): [number, Channel][] {
    return [...this.#channels].filter(([, channel]) => channel.isOpen)
  }

  /** Ends the connection with an error; `cause` is the method it answers. */
  closeWith(error: AmqpError, cause?: MethodName): void {
    if (this.#state === 'closing' || this.#state === 'deaf' || this.#state === 'ended') return
    if (this.#state === 'greeting') {
      this.#finish()
      return
    }
    this.#endChannels()
    this.#outbox.method(0, 'connection.close', { replyCode: error.replyCode, replyText: error.message, ...idsOf(cause) })
    this.#state = 'closing'
    this.#stopHeartbeat()
    this.#destroyAfter(CLOSE_TIMEOUT_MS)
    this.#isBlocked = false
    this.#readOn()
  }

  /** Ends the socket without a word: `reset` loses what is on its way. */
  drop(how: 'reset' | 'end'): void {
    if (how === 'reset') {
      this.#socket.resetAndDestroy()
      return
    }
    this.#finish()
  }

  /** To be called when an alarm is set or cleared. */
  alarmChanged(): void {
    if (!this.#isBlocked || this.#around.faults.alarmReason !== undefined) return
    this.#isBlocked = false
    if (this.#tells('connection.blocked')) this.#outbox.method(0, 'connection.unblocked', {})
    this.#around.truth.note({ fault: 'alarm', did: 'unblocked', connection: this.id })
    this.#readOn()
  }

  #take(chunk: Buffer): void {
    this.#wasHeard = true
    if (this.#state === 'deaf' || this.#state === 'ended') return
    const bytes = this.#state === 'greeting' ? this.#takeGreeting(chunk) : chunk
    if (bytes.length === 0) return
    this.#frames.push(bytes)
    this.#pull()
  }

  /** The bytes after the protocol header, when it has come. */
  #takeGreeting(chunk: Buffer): Buffer {
    const bytes = Buffer.concat([this.#greeting, chunk])
    const expected = PROTOCOL_HEADER.subarray(0, bytes.length)
    if (!expected.equals(bytes.subarray(0, expected.length))) {
      this.#socket.write(PROTOCOL_HEADER)
      this.#finish()
      return Buffer.alloc(0)
    }
    this.#greeting = bytes
    if (bytes.length < PROTOCOL_HEADER.length) return Buffer.alloc(0)
    this.#state = 'starting'
    this.#outbox.method(0, 'connection.start', serverGreeting)
    return bytes.subarray(PROTOCOL_HEADER.length)
  }

  /** Deals with the frames that have come, until something forbids to go on. */
  #pull(): void {
    try {
      while (!this.#isBlocked && !this.#isChoked && this.#hears) {
        const frame = this.#frames.next()
        if (frame === undefined) return
        this.#handle(frame)
        this.#isChoked = this.#outbox.isChoked
      }
    } catch (error) {
      if (!(error instanceof FrameError)) throw error
      this.closeWith(new AmqpError(501, error.message))
      this.#state = 'deaf'
      return
    }
    if (this.#isBlocked || this.#isChoked) this.#socket.pause()
  }

  get #hears(): boolean {
    return this.#state !== 'deaf' && this.#state !== 'ended'
  }

  #readOn(): void {
    this.#pull()
    if (!this.#isBlocked && !this.#isChoked) this.#socket.resume()
  }

  #handle(frame: Frame): void {
    let cause: MethodName | undefined
    try {
      if (frame.type === FRAME_METHOD) {
        cause = this.#methodName(frame)
        this.#handleMethod(frame.channel, this.#readMethod(cause, frame))
      } else if (frame.type === FRAME_HEARTBEAT) {
        expectHeartbeat(frame)
      } else {
        cause = 'basic.publish'
        this.#handleContent(frame)
      }
    } catch (error) {
      this.#handleError(error, frame.channel, cause)
    }
  }

  #methodName(frame: Frame): MethodName {
    this.#reader.reset(frame.buffer, frame.start, frame.end)
    if (this.#reader.remaining < 4) throw new FrameError(frame.type, frame.buffer.subarray(frame.start, frame.end), 'unknown_frame')
    const classId = this.#reader.short()
    const methodId = this.#reader.short()
    const name = methodNameOf(classId, methodId)
    if (name === undefined) throw new AmqpError(503, `unknown method ${classId}.${methodId}`)
    return name
  }

  #readMethod(name: MethodName, frame: Frame): Method {
    try {
      return readMethod(name, this.#reader)
    } catch (error) {
      if (!(error instanceof WireError)) throw error
      throw new AmqpError(501, `cannot decode ${name}: ${error.message} (frame of ${frame.end - frame.start} bytes)`)
    }
  }

  #handleMethod(channelNumber: number, method: Method): void {
    if (this.#state === 'closing') this.#handleWhileClosing(channelNumber, method)
    else if (this.#state !== 'running') this.#advance(channelNumber, method)
    else if (channelNumber === 0) this.#handleConnectionMethod(method)
    else this.#handleChannelMethod(channelNumber, method)
  }

  #handleWhileClosing(channelNumber: number, method: Method): void {
    if (channelNumber !== 0) return
    if (method.name === 'connection.close') this.#outbox.method(0, 'connection.close-ok', {})
    if (method.name === 'connection.close' || method.name === 'connection.close-ok') this.#finish()
  }

  #advance(channelNumber: number, method: Method): void {
    const { rules, faults } = this.#around
    const stage = this.#state as HandshakeStage
    if (channelNumber !== 0) throw new AmqpError(504, `unexpected method in connection state ${stage}`)
    faults.checkMethod(method.name, { connection: this.id, channel: 0 })
    this.#state = advanceHandshake(stage, method, rules, this.#agreement)
    if (this.#state === 'tuning') {
      const { channelMax, frameMaxBytes, heartbeatSeconds } = rules
      this.#outbox.method(0, 'connection.tune', { channelMax, frameMax: frameMaxBytes, heartbeat: heartbeatSeconds })
    } else if (this.#state === 'opening') {
      this.#tuned()
    } else {
      clearTimeout(this.#deadline)
      this.#outbox.method(0, 'connection.open-ok', { knownHosts: '' })
    }
  }

  #tuned(): void {
    this.#frames.maxFrameBytes = this.#agreement.frameMaxBytes
    this.#outbox.maxFrameBytes = this.#agreement.frameMaxBytes
    this.#stopHeartbeat = startHeartbeat(this.#agreement.heartbeatSeconds, {
      beat: () => this.#outbox.heartbeatIfSilent(),
      wasHeard: () => {
        const wasHeard = this.#wasHeard || this.#isBlocked || this.#isChoked
        this.#wasHeard = false
        return wasHeard
      },
      dead: () => this.#socket.destroy(),
    })
  }

  #handleConnectionMethod(method: Method): void {
    this.#around.faults.checkMethod(method.name, { connection: this.id, channel: 0 })
    if (method.name !== 'connection.close') throw new AmqpError(504, 'unexpected method in connection state running')
    this.#endChannels()
    this.#outbox.method(0, 'connection.close-ok', {})
    this.#finish()
  }

  #handleChannelMethod(channelNumber: number, method: Method): void {
    const channel = this.#channels.get(channelNumber)
    if (channel !== undefined) {
      channel.handleMethod(method)
      if (channel.isClosed) this.#channels.delete(channelNumber)
      if (method.name === 'basic.publish' && channel.isOpen) this.#blockIfAlarmed()
      return
    }
    if (method.name !== 'channel.open') throw new AmqpError(504, "expected 'channel.open'")
    this.#around.faults.checkMethod(method.name, { connection: this.id, channel: channelNumber })
    if (channelNumber > this.#agreement.channelMax) {
      throw new AmqpError(504, `channel number ${channelNumber} is above the negotiated channel_max (${this.#agreement.channelMax})`)
    }
    this.#channels.set(channelNumber, new Channel(this.#linkFor(channelNumber)))
    this.#outbox.method(channelNumber, 'channel.open-ok', { channelId: Buffer.alloc(0) })
  }

  /** RabbitMQ's way: the method of a publish is read, then nothing more, so that the publish waits for the alarm to end. */
  #blockIfAlarmed(): void {
    const { faults, truth } = this.#around
    if (faults.alarmReason === undefined) return
    this.#isBlocked = true
    if (this.#tells('connection.blocked')) this.#outbox.method(0, 'connection.blocked', { reason: faults.alarmReason })
    truth.note({ fault: 'alarm', did: 'blocked', connection: this.id })
  }

  #handleContent(frame: Frame): void {
    if (this.#state === 'closing') return
    const channel = this.#channels.get(frame.channel)
    if (this.#state !== 'running' || channel === undefined) {
      throw new AmqpError(505, 'expected method frame, got non method frame instead')
    }
    channel.handleContent(frame)
  }

  #handleError(error: unknown, channelNumber: number, cause: MethodName | undefined): void {
    if (error instanceof FrameError) {
      this.closeWith(new AmqpError(501, error.message))
      return
    }
    if (!(error instanceof AmqpError)) {
      // A fault of ours must not take the other connections along.
      this.closeWith(new AmqpError(541, error instanceof Error ? error.message : String(error)), cause)
      return
    }
    const channel = this.#channels.get(channelNumber)
    if (error.endsChannelOnly && channel?.isOpen && this.#state === 'running') channel.closeWith(error, idsOf(cause))
    else if (this.#state === 'starting' && !this.#tells('authentication_failure_close')) this.#finish()
    else this.closeWith(error, cause)
  }

  #linkFor(channelNumber: number): ChannelLink {
    const outbox = this.#outbox
    const { rules, virtualHost, faults } = this.#around
    return {
      connection: this.id,
      channel: channelNumber,
      owner: this,
      user: rules.user,
      virtualHost,
      faults,
      understandsCancel: this.#tells('consumer_cancel_notify'),
      isCongested: () => outbox.isCongested,
      send: (name, args) => outbox.method(channelNumber, name, args),
      sendContent: (name, args, message) => outbox.content(channelNumber, name, args, message),
      confirmSoon: () => {
        this.#confirming.add(this.#channels.get(channelNumber)!)
        outbox.flushSoon()
      },
    }
  }

  #writeConfirms(): void {
    for (const channel of this.#confirming) channel.writeConfirms()
    this.#confirming.clear()
  }

  #tells(capability: string): boolean {
    return hasCapability(this.#agreement.clientProperties, capability)
  }

  #drained(): void {
    for (const channel of this.#channels.values()) channel.handOut()
    if (!this.#isChoked) return
    this.#isChoked = false
    this.#readOn()
  }

  #endChannels(): void {
    this.#writeConfirms()
    for (const channel of this.#channels.values()) channel.end()
    this.#channels.clear()
    this.#around.virtualHost.ownerLeft(this)
  }

  /** Sends what is waiting, ends the socket, and destroys it if the peer does not end its side. */
  #finish(): void {
    this.#state = 'ended'
    this.#outbox.flush()
    this.#socket.end()
    this.#socket.resume()
    this.#destroyAfter(CLOSE_TIMEOUT_MS)
  }

  #destroyAfter(timeoutMs: number): void {
    clearTimeout(this.#deadline)
    this.#deadline = setTimeout(() => this.#socket.destroy(), timeoutMs)
  }

  #socketClosed(): void {
    this.#state = 'ended'
    clearTimeout(this.#deadline)
    this.#stopHeartbeat()
    this.#endChannels()
    this.#around.onClosed(this)
  }
}

function expectHeartbeat(frame: Frame): void {
  if (frame.end > frame.start) throw new FrameError(frame.type, frame.buffer.subarray(frame.start, frame.end), 'unknown_frame')
  if (frame.channel !== 0) throw new AmqpError(505, `type ${frame.type}, all octets = <<>>`)
}
