/**
 * One client connection: takes it through its states, answers what concerns the connection as a whole, and hands the rest to
 * its channels.
 *
 *   state    | event                                          | next
 *   ---------|------------------------------------------------|----------
 *   greeting | the protocol header                            | opening (connection.start is sent)
 *            | other bytes                                    | ended (the header it should have been is sent)
 *   opening  | the handshake is done; see handshake.ts        | running
 *   running  | connection.close                               | ended (close-ok is sent)
 *   opening, | a connection error, here or on demand          | closing (connection.close is sent)
 *   running  |                                                |
 *   closing  | connection.close-ok or connection.close        | ended
 *            | anything else                                  | closing (ignored)
 *   any      | the socket is gone, or a deadline has passed   | ended
 */
import type { Socket } from 'node:net'
import { describeError } from '../../errors.ts'
import { AmqpError } from '../amqp-error.ts'
import { FRAME_HEARTBEAT, FRAME_METHOD, type Frame, FrameError } from '../codec/frame-reader.ts'
import { idsOf, type Method, type MethodName } from '../codec/methods.ts'
import type { StandingFaults } from '../faults/standing-faults.ts'
import type { TruthLog } from '../faults/truth-log.ts'
import type { VirtualHost } from '../routing/virtual-host.ts'
import { ChannelTable } from './channel-table.ts'
import { expectHeartbeat, MethodReader } from './frame-contents.ts'
import { Agreement, type HandshakeRules, UNTUNED_FRAME_MAX_BYTES } from './handshake.ts'
import { startHeartbeat } from './heartbeat.ts'
import { Inlet, PROTOCOL_HEADER } from './inlet.ts'
import { Opening } from './opening.ts'
import { Outbox } from './outbox.ts'

/** A client that has not opened its connection by then is dropped. */
const HANDSHAKE_TIMEOUT_MS = 10_000
/** How long a peer may take to answer a close, or to read the reason, before its socket is destroyed. */
const CLOSE_TIMEOUT_MS = 2_000

type State = 'greeting' | 'opening' | 'running' | 'closing' | 'ended'

export interface ConnectionSurroundings {
  readonly rules: HandshakeRules
  readonly virtualHost: VirtualHost
  readonly faults: StandingFaults
  readonly truth: TruthLog
  /** Something went wrong that can only be a fault of the broker's; the connection it happened on is ended. */
  onFaultOfOurs(error: unknown): void
  /** The socket is closed. */
  onClosed(connection: Connection): void
}

export class Connection {
  /** The broker's number for it, from 1. */
  readonly id: number
  /** Undefined when the peer was gone before it was looked at. */
  readonly remotePort: number | undefined
  readonly agreement = new Agreement()
  readonly #socket: Socket
  readonly #around: ConnectionSurroundings
  readonly #inlet: Inlet
  readonly #outbox: Outbox
  readonly #channels: ChannelTable
  readonly #opening: Opening
  readonly #methods = new MethodReader()
  #state: State = 'greeting'
  #publishedCount = 0
  #stopHeartbeat: () => void = () => undefined
  #deadline: NodeJS.Timeout

  constructor(id: number, socket: Socket, around: ConnectionSurroundings) {
    this.id = id
    this.remotePort = socket.remotePort
    this.#socket = socket
    this.#around = around
    this.#outbox = new Outbox(socket, UNTUNED_FRAME_MAX_BYTES, () => this.#channels.writeConfirms())
    this.#inlet = new Inlet(socket, UNTUNED_FRAME_MAX_BYTES, {
      greeted: () => this.#greeted(),
      notAmqp: () => this.#notAmqp(),
      frame: (frame) => this.#handle(frame),
      broken: (error) => this.closeWith(new AmqpError(501, error.message)),
    })
    const { virtualHost, faults, rules } = around
    this.#channels = new ChannelTable(this.#outbox, {
      connection: id,
      owner: this,
      user: rules.user,
      virtualHost,
      faults,
      understandsCancel: () => this.agreement.understands('consumer_cancel_notify'),
      countPublish: () => void this.#publishedCount++,
    })
    this.#opening = new Opening({
      connection: id,
      rules,
      faults,
      outbox: this.#outbox,
      agreement: this.agreement,
      tuned: () => this.#tuned(),
    })
    this.#deadline = setTimeout(() => socket.destroy(), HANDSHAKE_TIMEOUT_MS)
    socket.setNoDelay(true)
    socket.on('drain', () => this.#drained())
    // What went wrong is said by the peer or by nobody; `close` follows in any case.
    socket.on('error', () => undefined)
    socket.on('close', () => this.#socketClosed())
  }

  get isRunning(): boolean {
    return this.#state === 'running'
  }

  /** Whether an alarm keeps it from being read. */
  get isBlocked(): boolean {
    return this.#inlet.isHeld('alarm')
  }

  /** Messages it has published. */
  get publishedCount(): number {
    return this.#publishedCount
  }

  get channels(): ChannelTable {
    return this.#channels
  }

  /** Ends the connection with an error; `cause` is the method it answers. */
  closeWith(error: AmqpError, cause?: MethodName): void {
    if (this.#state === 'closing' || this.#state === 'ended') return
    if (this.#state === 'greeting') {
      this.#finish()
      return
    }
    this.#channels.end()
    this.#outbox.method(0, 'connection.close', { replyCode: error.replyCode, replyText: error.message, ...idsOf(cause) })
    this.#state = 'closing'
    this.#stopHeartbeat()
    this.#destroyAfter(CLOSE_TIMEOUT_MS)
    this.#inlet.release('alarm')
  }

  /** Ends the socket without a word: `reset` loses what is on its way, `end` does not. */
  drop(how: 'reset' | 'end'): void {
    this.#channels.end()
    if (how === 'reset') this.#socket.resetAndDestroy()
    else this.#finish()
  }

  /** To be called when an alarm has been cleared. */
  unblock(): void {
    if (!this.isBlocked) return
    if (this.agreement.understands('connection.blocked')) this.#outbox.method(0, 'connection.unblocked', {})
    this.#around.truth.note({ fault: 'alarm', did: 'unblocked', connection: this.id })
    this.#inlet.release('alarm')
  }

  #greeted(): void {
    this.#state = 'opening'
    this.#opening.begin()
  }

  #notAmqp(): void {
    this.#socket.write(PROTOCOL_HEADER)
    this.#finish()
  }

  #handle(frame: Frame): void {
    let cause: MethodName | undefined
    try {
      if (frame.type === FRAME_METHOD) {
        cause = this.#methods.nameIn(frame)
        this.#handleMethod(frame.channel, this.#methods.read(cause, frame))
      } else if (frame.type === FRAME_HEARTBEAT) {
        expectHeartbeat(frame)
      } else if (this.#state !== 'closing') {
        cause = 'basic.publish'
        this.#channels.handleContent(frame)
      }
    } catch (error) {
      this.#handleError(error, frame.channel, cause)
    }
    if (this.#outbox.isChoked) this.#inlet.hold('choked')
  }

  #handleMethod(channel: number, method: Method): void {
    if (this.#state === 'closing') this.#handleWhileClosing(channel, method)
    else if (this.#state === 'opening') this.#open(channel, method)
    else if (channel === 0) this.#handleConnectionMethod(method)
    else this.#handleChannelMethod(channel, method)
  }

  #handleWhileClosing(channel: number, method: Method): void {
    if (channel !== 0) return
    if (method.name === 'connection.close') this.#outbox.method(0, 'connection.close-ok', {})
    if (method.name === 'connection.close' || method.name === 'connection.close-ok') this.#finish()
  }

  #open(channel: number, method: Method): void {
    if (!this.#opening.advance(channel, method)) return
    clearTimeout(this.#deadline)
    this.#state = 'running'
  }

  #tuned(): void {
    const { channelMax, frameMaxBytes, heartbeatSeconds } = this.agreement
    this.#channels.channelMax = channelMax
    this.#inlet.maxFrameBytes = frameMaxBytes
    this.#outbox.maxFrameBytes = frameMaxBytes
    this.#stopHeartbeat = startHeartbeat(heartbeatSeconds, {
      beat: () => this.#outbox.heartbeatIfSilent(),
      wasHeard: () => this.#inlet.takeWasHeard(),
      dead: () => this.#socket.destroy(),
    })
  }

  #handleConnectionMethod(method: Method): void {
    this.#around.faults.checkMethod(method.name, { connection: this.id, channel: 0 })
    if (method.name !== 'connection.close') throw new AmqpError(504, 'unexpected method in connection state running')
    this.#channels.end()
    this.#outbox.method(0, 'connection.close-ok', {})
    this.#finish()
  }

  #handleChannelMethod(channel: number, method: Method): void {
    this.#channels.handleMethod(channel, method)
    if (method.name === 'basic.publish') this.#blockIfAlarmed()
  }

  /** RabbitMQ's way: the method of a publish is read, then nothing more, so that the publish waits for the alarm to end. */
  #blockIfAlarmed(): void {
    const { faults, truth } = this.#around
    if (faults.alarmReason === undefined) return
    this.#inlet.hold('alarm')
    if (this.agreement.understands('connection.blocked')) {
      this.#outbox.method(0, 'connection.blocked', { reason: faults.alarmReason })
    }
    truth.note({ fault: 'alarm', did: 'blocked', connection: this.id })
  }

  #handleError(error: unknown, channel: number, cause: MethodName | undefined): void {
    if (error instanceof FrameError) {
      this.closeWith(new AmqpError(501, error.message))
    } else if (!(error instanceof AmqpError)) {
      // It must not take the other connections along.
      this.#around.onFaultOfOurs(error)
      this.closeWith(new AmqpError(541, describeError(error)), cause)
    } else if (this.#state === 'opening' && this.#opening.endsInSilence) {
      this.#finish()
    } else if (!error.endsChannelOnly || !this.#channels.closeWith(channel, error, cause)) {
      this.closeWith(error, cause)
    }
  }

  #drained(): void {
    this.#channels.handOut()
    this.#inlet.release('choked')
  }

  /** Sends what is waiting, ends the socket, and destroys it if the peer does not end its side. */
  #finish(): void {
    this.#state = 'ended'
    this.#inlet.stop()
    this.#outbox.flush()
    this.#socket.end()
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
    this.#channels.end()
    this.#around.onClosed(this)
  }
}
