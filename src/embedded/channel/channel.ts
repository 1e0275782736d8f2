/**
 * One channel: hands each frame to the part that deals with it and ends all parts together.
 *
 *   state   | event                                | next
 *   --------|--------------------------------------|---------
 *   open    | channel.close from the client        | closed (close-ok is sent)
 *           | a channel error, here or on demand   | closing (channel.close is sent)
 *   closing | channel.close-ok, or channel.close   | closed
 *           | anything else                        | closing (ignored)
 */
import { AmqpError } from '../amqp-error.ts'
import { FRAME_HEADER, type Frame } from '../codec/frame-reader.ts'
import type { Method } from '../codec/methods.ts'
import { Confirms } from './confirms.ts'
import { Declarations } from './declarations.ts'
import type { ChannelLink } from './link.ts'
import { Publisher } from './publisher.ts'
import { Subscriptions } from './subscriptions.ts'

export class Channel {
  readonly #link: ChannelLink
  readonly #confirms: Confirms
  readonly #publisher: Publisher
  readonly #declarations: Declarations
  readonly #subscriptions: Subscriptions
  #state: 'open' | 'closing' | 'closed' = 'open'

  constructor(link: ChannelLink) {
    this.#link = link
    this.#confirms = new Confirms(link)
    this.#publisher = new Publisher(link, this.#confirms)
    this.#declarations = new Declarations(link)
    this.#subscriptions = new Subscriptions(link)
  }

  get isOpen(): boolean {
    return this.#state === 'open'
  }

  /** When it is, its number may be used again. */
  get isClosed(): boolean {
    return this.#state === 'closed'
  }

  get consumerCount(): number {
    return this.#subscriptions.consumerCount
  }

  handleMethod(method: Method): void {
    if (this.#state === 'closing') {
      this.#handleWhileClosing(method)
      return
    }
    this.#publisher.expectNoContent()
    const { connection, channel } = this.#link
    this.#link.faults.checkMethod(method.name, { connection, channel })
    this.#carryOut(method)
  }

  /** A content header or body frame. */
  handleContent(frame: Frame): void {
    if (this.#state === 'closing') return
    if (frame.type === FRAME_HEADER) this.#publisher.header(frame)
    else this.#publisher.body(frame)
  }

  /** Deliveries that waited for the connection to have room. */
  handOut(): void {
    if (this.isOpen) this.#subscriptions.handOut()
  }

  writeConfirms(): void {
    if (this.isOpen) this.#confirms.flush()
  }

  /** Ends the channel with an error; `cause` is the method it answers. */
  closeWith(error: AmqpError, cause: { classId: number; methodId: number }): void {
    this.writeConfirms()
    this.#link.send('channel.close', { replyCode: error.replyCode, replyText: error.message, ...cause })
    this.end()
    this.#state = 'closing'
  }

  /** Gives everything back without a word to the client. */
  end(): void {
    if (this.isOpen) {
      this.#state = 'closed'
      this.#confirms.end()
      this.#subscriptions.end()
    }
    this.#state = 'closed'
  }

  #handleWhileClosing(method: Method): void {
    if (method.name === 'channel.open') throw new AmqpError(504, "second 'channel.open' seen")
    if (method.name === 'channel.close') this.#link.send('channel.close-ok', {})
    if (method.name === 'channel.close' || method.name === 'channel.close-ok') this.#state = 'closed'
  }

  #carryOut(method: Method): void {
    switch (method.name) {
      case 'basic.publish':
        this.#publisher.begin(method.args)
        break
      case 'basic.ack':
        this.#subscriptions.ack(method.args)
        break
      case 'basic.nack':
        this.#subscriptions.nack(method.args)
        break
      case 'basic.reject':
        this.#subscriptions.nack({ ...method.args, multiple: false })
        break
      case 'basic.get':
        this.#subscriptions.get(method.args, this.#declarations.queueName(method.args.queue))
        break
      case 'basic.consume':
        this.#subscriptions.consume(method.args, this.#declarations.queueName(method.args.queue))
        break
      case 'basic.cancel':
        this.#subscriptions.cancel(method.args)
        break
      case 'basic.qos':
        this.#subscriptions.qos(method.args)
        this.#link.send('basic.qos-ok', {})
        break
      case 'basic.recover':
        this.#subscriptions.recover(method.args)
        break
      case 'confirm.select':
        this.#confirms.select()
        if (!method.args.noWait) this.#link.send('confirm.select-ok', {})
        break
      case 'channel.flow':
        if (!method.args.active) throw new AmqpError(540, 'active=false')
        this.#link.send('channel.flow-ok', { active: true })
        break
      case 'channel.open':
        throw new AmqpError(504, "second 'channel.open' seen")
      case 'channel.close':
        this.writeConfirms()
        this.end()
        this.#link.send('channel.close-ok', {})
        break
      case 'tx.select':
        throw new AmqpError(540, 'transactions are not offered by this broker')
      case 'exchange.declare':
      case 'exchange.delete':
      case 'exchange.bind':
      case 'exchange.unbind':
      case 'queue.declare':
      case 'queue.bind':
      case 'queue.unbind':
      case 'queue.purge':
      case 'queue.delete':
        this.#declarations.carryOut(method)
        break
      default:
        throw new AmqpError(503, 'unimplemented method')
    }
  }
}
