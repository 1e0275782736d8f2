/**
 * The channels of one connection, by number: opens them, hands them their frames, writes their confirms together, and ends
 * them all when the connection ends.
 */
import { AmqpError } from '../amqp-error.ts'
import { Channel } from '../channel/channel.ts'
import type { ChannelLink } from '../channel/link.ts'
import type { Frame } from '../codec/frame-reader.ts'
import { idsOf, type Method, type MethodName } from '../codec/methods.ts'
import type { Outbox } from './outbox.ts'

/** What all channels of a connection share of its link. */
export type SharedLink = Omit<ChannelLink, 'channel' | 'isCongested' | 'send' | 'sendContent' | 'confirmSoon'>

export class ChannelTable {
  /** The highest number agreed on. */
  channelMax = 0
  readonly #outbox: Outbox
  readonly #shared: SharedLink
  readonly #channels = new Map<number, Channel>()
  /** Channels with confirms to be written at the end of this pass of the event loop. */
  readonly #confirming = new Set<number>()

  constructor(outbox: Outbox, shared: SharedLink) {
    this.#outbox = outbox
    this.#shared = shared
  }

  /** The channels that are open, with their numbers. */
  get open(): [number, Channel][] {
    return [...this.#channels].filter(([, channel]) => channel.isOpen)
  }

  get consumerCount(): number {
    return this.open.reduce((count, [, channel]) => count + channel.consumerCount, 0)
  }

  handleMethod(number: number, method: Method): void {
    const channel = this.#channels.get(number)
    if (channel === undefined) {
      this.#open(number, method)
      return
    }
    channel.handleMethod(method)
    if (channel.isClosed) this.#channels.delete(number)
  }

  handleContent(frame: Frame): void {
    const channel = this.#channels.get(frame.channel)
    if (channel === undefined) throw new AmqpError(505, 'expected method frame, got non method frame instead')
    channel.handleContent(frame)
  }

  /** Ends one channel with an error; false when there is no such open channel. */
  closeWith(number: number, error: AmqpError, cause: MethodName | undefined): boolean {
    const channel = this.#channels.get(number)
    if (!channel?.isOpen) return false
    channel.closeWith(error, idsOf(cause))
    return true
  }

  writeConfirms(): void {
    for (const number of this.#confirming) this.#channels.get(number)?.writeConfirms()
    this.#confirming.clear()
  }

  /** Deliveries that waited for room are handed out. */
  handOut(): void {
    for (const channel of this.#channels.values()) channel.handOut()
  }

  /** Gives back everything the channels held, and the connection's exclusive queues with it. */
  end(): void {
    this.writeConfirms()
    for (const channel of this.#channels.values()) channel.end()
    this.#channels.clear()
    this.#shared.virtualHost.ownerLeft(this.#shared.owner)
  }

  #open(number: number, method: Method): void {
    if (method.name !== 'channel.open') throw new AmqpError(504, "expected 'channel.open'")
    this.#shared.faults.checkMethod(method.name, { connection: this.#shared.connection, channel: number })
    if (number > this.channelMax) {
      throw new AmqpError(504, `channel number ${number} is above the negotiated channel_max (${this.channelMax})`)
    }
    this.#channels.set(number, new Channel(this.#linkFor(number)))
    this.#outbox.method(number, 'channel.open-ok', { channelId: Buffer.alloc(0) })
  }

  #linkFor(channel: number): ChannelLink {
    const outbox = this.#outbox
    return {
      ...this.#shared,
      channel,
      isCongested: () => outbox.isCongested,
      send: (name, args) => outbox.method(channel, name, args),
      sendContent: (name, args, message) => outbox.content(channel, name, args, message),
      confirmSoon: () => {
        this.#confirming.add(channel)
        outbox.flushSoon()
      },
    }
  }
}
