/**
 * One connection to the broker with one confirm channel and a checked exchange: from the dial to the first sign of loss, after
 * which it is thrown away. It never reconnects and keeps no books; whoever holds it does.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { type ChannelModel, type ConfirmChannel, IllegalOperationError } from 'amqplib'
import type { Settings } from '../config/settings.ts'
import { FanfareError } from '../errors.ts'
import type { AmqpAddress } from './amqp-address.ts'
import { explainExchangeFailure, explainLoss } from './amqp-failure.ts'
import { dialBroker, type LinkTls } from './dial-broker.ts'
import { unswallowed } from './unswallowed.ts'

/** A farewell that is not answered (blocked broker, dead network) is cut off after this. */
const CLOSE_GRACE_MS = 1_000

export interface LinkAsk {
  readonly address: AmqpAddress
  readonly tls: LinkTls
  /** What RabbitMQ shows in its list of connections. */
  readonly connectionName: string
  readonly exchange: string
  readonly declare: Settings['amqpDeclare']
  /** From dial to checked exchange. */
  readonly timeoutMs: number
}

/** Called as the broker speaks; `onLost` once, after which nothing more is called. */
export interface LinkListener {
  onConfirmed(tag: number, isMultiple: boolean, outcome: 'confirmed' | 'nacked'): void
  onReturned(messageId: string): void
  onDrained(): void
  onBlocked(isBlocked: boolean, reason: string): void
  onLost(failure: FanfareError): void
}

export interface AmqpLink {
  /**
   * Hands a message to the client library; `false` asks to wait for `onDrained` (this one is taken). A channel that died a moment ago
   * takes it and tells its loss by `onLost`.
   */
  publish(routingKey: string, body: Buffer, messageId: string): boolean
  /** Says goodbye, at most CLOSE_GRACE_MS; `onLost` is not called for it. */
  close(): Promise<void>
}

/** Throws FanfareError with the codes of `Injector.open`; `signal` ends it at once. */
export async function openLink(ask: LinkAsk, listener: LinkListener, signal: AbortSignal): Promise<AmqpLink> {
  const timeout = AbortSignal.timeout(ask.timeoutMs)
  const cut = new AbortController()
  const giveUp = (): void => cut.abort()
  for (const cause of [timeout, signal]) cause.addEventListener('abort', giveUp, { once: true })
  try {
    const connection = await dialBroker(ask, cut.signal)
    const life = new LinkLife(connection, cut, ask, listener)
    return await life.begin()
  } catch (error) {
    cut.abort()
    if (timeout.aborted) throw tooSlow(ask)
    throw error
  } finally {
    for (const cause of [timeout, signal]) cause.removeEventListener('abort', giveUp)
  }
}

class LinkLife implements AmqpLink {
  readonly #connection: ChannelModel
  readonly #cut: AbortController
  readonly #ask: LinkAsk
  readonly #listener: LinkListener
  #channel: ConfirmChannel | undefined
  /** What the channel or the connection said before it closed. */
  #lastWords: Error | undefined
  #state: 'opening' | 'open' | 'over' = 'opening'

  constructor(connection: ChannelModel, cut: AbortController, ask: LinkAsk, listener: LinkListener) {
    this.#connection = connection
    this.#cut = cut
    this.#ask = ask
    this.#listener = listener
    connection.on('error', (error) => {
      this.#lastWords ??= error
    })
    connection.on(
      'close',
      unswallowed((error) => this.#lose(error)),
    )
    connection.on(
      'blocked',
      unswallowed((reason) => this.#listener.onBlocked(true, reason)),
    )
    connection.on(
      'unblocked',
      unswallowed(() => this.#listener.onBlocked(false, '')),
    )
  }

  async begin(): Promise<AmqpLink> {
    try {
      const channel = await this.#connection.createConfirmChannel()
      this.#listenTo(channel)
      await this.#checkExchange(channel)
      this.#channel = channel
    } catch (error) {
      this.#state = 'over'
      throw explainExchangeFailure(error, this.#ask.exchange, this.#ask.address)
    }
    this.#state = 'open'
    return this
  }

  publish(routingKey: string, body: Buffer, messageId: string): boolean {
    try {
      return this.#channel!.publish(this.#ask.exchange, routingKey, body, { mandatory: true, messageId })
    } catch (error) {
      // The channel is closing or closed; its close event follows or has just been.
      if (error instanceof IllegalOperationError) return true
      throw error
    }
  }

  async close(): Promise<void> {
    this.#state = 'over'
    // The library's promise stays pending when the socket dies while it waits for the broker's answer, hence the race.
    const goodbye = this.#connection.close().catch(() => undefined)
    await Promise.race([goodbye, sleep(CLOSE_GRACE_MS, undefined, { ref: false })])
    this.#cut.abort()
  }

  #listenTo(channel: ConfirmChannel): void {
    channel.on('error', (error) => {
      this.#lastWords = error
    })
    // A channel that closes with its connection says nothing itself: the connection's close event does.
    channel.on(
      'close',
      unswallowed(() => {
        if (this.#lastWords !== undefined) this.#lose(this.#lastWords)
      }),
    )
    channel.on(
      'ack',
      unswallowed(({ deliveryTag, multiple }) => this.#listener.onConfirmed(deliveryTag, multiple, 'confirmed')),
    )
    channel.on(
      'nack',
      unswallowed(({ deliveryTag, multiple }) => this.#listener.onConfirmed(deliveryTag, multiple, 'nacked')),
    )
    channel.on(
      'return',
      unswallowed(({ properties }) => this.#listener.onReturned(String(properties.messageId))),
    )
    channel.on(
      'drain',
      unswallowed(() => this.#listener.onDrained()),
    )
  }

  async #checkExchange(channel: ConfirmChannel): Promise<void> {
    const { exchange, declare } = this.#ask
    // The default exchange always exists, and brokers refuse to have it checked.
    if (declare === 'off' || exchange === '') return
    if (declare === 'passive') await channel.checkExchange(exchange)
    else await channel.assertExchange(exchange, declare, { durable: false })
  }

  #lose(error: Error | undefined): void {
    if (this.#state === 'opening') this.#lastWords ??= error
    if (this.#state !== 'open') return
    this.#state = 'over'
    this.#cut.abort()
    this.#listener.onLost(explainLoss(this.#lastWords ?? error, this.#ask.exchange, this.#ask.address))
  }
}

const tooSlow = ({ address, timeoutMs }: LinkAsk): FanfareError =>
  new FanfareError('broker-unreachable', `${address.shown} did not answer within ${timeoutMs} ms.`)
