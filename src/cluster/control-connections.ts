/**
 * A pair of connections to the broker: one hears and answers for its owner's presence, the other speaks. The broker stops reading a
 * connection that publishes during an alarm, and the one that hears must go on acknowledging. Both live and die together; nothing here
 * connects again.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import type { Channel, ChannelModel, ConsumeMessage } from 'amqplib'
import type { AmqpAddress } from '../broker/amqp-address.ts'
import { dialBroker, type LinkTls } from '../broker/dial-broker.ts'
import { unswallowed } from '../broker/unswallowed.ts'
import { describeError, FanfareError } from '../errors.ts'
import type { Parcel } from './wire/parcel.ts'

/** Messages that may be in this process and not handled yet. */
const PREFETCH = 64
/** A farewell that is not answered (blocked broker, dead network) is cut off after this. */
const CLOSE_GRACE_MS = 1_000
const NOT_FOUND = 404
const RESOURCE_LOCKED = 405

export interface ControlAsk {
  readonly address: AmqpAddress
  readonly tls: LinkTls
  /** What RabbitMQ shows in its list of connections, in front of what each of the two is for. */
  readonly connectionName: string
  readonly exchange: string
  /** The owner's own; exclusive. */
  readonly queue: string
  /** What reaches the queue. */
  readonly key: string
}

/** A message as it came. */
export interface Arrival {
  readonly headers: unknown
  readonly body: Buffer
  readonly encoding: unknown
}

export interface ConnectionsListener {
  onArrival(arrival: Arrival): void
  onBlocked(isBlocked: boolean, reason: string): void
  /** Once; nothing is called after it. */
  onLost(failure: FanfareError): void
}

/** Throws FanfareError: as `dialBroker`, `group-taken` when the queue belongs to somebody else, `broker-access-refused`. */
export async function openControlConnections(
  ask: ControlAsk,
  listener: ConnectionsListener,
  { timeoutMs, signal }: { timeoutMs: number; signal: AbortSignal },
): Promise<ControlConnections> {
  const cut = new AbortController()
  const timer = setTimeout(() => cut.abort(), timeoutMs)
  const giveUp = (): void => cut.abort()
  signal.addEventListener('abort', giveUp, { once: true })
  try {
    const hearing = await dialQuietly(ask, 'hears', cut.signal)
    const speaking = await dialQuietly(ask, 'speaks', cut.signal)
    const connections = new ControlConnections(ask, listener, cut, hearing, speaking)
    await connections.begin()
    return connections
  } catch (error) {
    const isCut = cut.signal.aborted
    cut.abort()
    throw isCut ? new FanfareError('broker-unreachable', `${ask.address.shown} did not answer within ${timeoutMs} ms.`) : error
  } finally {
    clearTimeout(timer)
    signal.removeEventListener('abort', giveUp)
  }
}

/** Whoever cuts the connection off before it has an owner knows why; its error is nobody's. */
async function dialQuietly(ask: ControlAsk, role: string, signal: AbortSignal): Promise<ChannelModel> {
  const connection = await dialBroker({ ...ask, connectionName: `${ask.connectionName} ${role}` }, signal)
  connection.on('error', () => undefined)
  return connection
}

export class ControlConnections {
  readonly #ask: ControlAsk
  readonly #listener: ConnectionsListener
  readonly #cut: AbortController
  readonly #hearing: ChannelModel
  readonly #speaking: ChannelModel
  #speech: Channel | undefined
  #lastWords: unknown
  #state: 'opening' | 'open' | 'over' = 'opening'

  /** Only `openControlConnections` makes one. */
  constructor(ask: ControlAsk, listener: ConnectionsListener, cut: AbortController, hearing: ChannelModel, speaking: ChannelModel) {
    this.#ask = ask
    this.#listener = listener
    this.#cut = cut
    this.#hearing = hearing
    this.#speaking = speaking
    for (const connection of [hearing, speaking]) this.#watch(connection)
    speaking.on(
      'blocked',
      unswallowed((reason) => this.#tellBlocked(true, reason)),
    )
    speaking.on(
      'unblocked',
      unswallowed(() => this.#tellBlocked(false, '')),
    )
  }

  /** Declares what is the owner's and begins to hear. */
  async begin(): Promise<void> {
    try {
      this.#speech = await this.#speaking.createChannel()
      const channel = await this.#hearing.createChannel()
      for (const watched of [this.#speech, channel]) this.#watch(watched)
      await this.#declare(channel)
      this.#state = 'open'
      await channel.prefetch(PREFETCH)
      await channel.consume(
        this.#ask.queue,
        unswallowed((message) => this.#hear(channel, message)),
      )
    } catch (error) {
      this.#state = 'over'
      throw this.#explain(this.#lastWords ?? error)
    }
  }

  /** Dropped without a word when nobody hears that key, or the connection has just gone. */
  speak(key: string, headers: object, { body, encoding }: Parcel): void {
    if (this.#state !== 'open') return
    try {
      this.#speech!.publish(this.#ask.exchange, key, body, { headers, contentEncoding: encoding, contentType: 'application/json' })
    } catch (error) {
      this.#lose(error)
    }
  }

  /** Whether an exclusive queue of somebody else exists; undefined when the broker could not be asked. */
  async isThere(queue: string): Promise<boolean | undefined> {
    if (this.#state !== 'open') return undefined
    try {
      // A refused declaration closes its channel, so it gets one of its own.
      const channel = await this.#hearing.createChannel()
      channel.on('error', () => undefined)
      await channel.checkQueue(queue)
      await channel.close()
      return true
    } catch (error) {
      const code = codeOf(error)
      return code === RESOURCE_LOCKED ? true : code === NOT_FOUND ? false : undefined
    }
  }

  /** Says goodbye, at most CLOSE_GRACE_MS; what was spoken before is still sent. `onLost` is not called for it. */
  async close(): Promise<void> {
    this.#state = 'over'
    const goodbyes = [this.#speaking, this.#hearing].map((connection) => connection.close().catch(() => undefined))
    await Promise.race([Promise.all(goodbyes), sleep(CLOSE_GRACE_MS, undefined, { ref: false })])
    this.#cut.abort()
  }

  async #declare(channel: Channel): Promise<void> {
    const { exchange, queue, key } = this.#ask
    await channel.assertQueue(queue, { exclusive: true, durable: false, autoDelete: true })
    await channel.assertExchange(exchange, 'direct', { durable: false, autoDelete: true })
    await channel.bindQueue(queue, exchange, key)
  }

  #hear(channel: Channel, message: ConsumeMessage | null): void {
    // amqplib's way of saying that the queue is gone.
    if (message === null) {
      this.#lose(new Error('the control queue was deleted'))
      return
    }
    const { headers, contentEncoding } = message.properties
    this.#listener.onArrival({ headers, body: message.content, encoding: contentEncoding })
    if (this.#state === 'open') channel.ack(message)
  }

  #tellBlocked(isBlocked: boolean, reason: string): void {
    if (this.#state === 'open') this.#listener.onBlocked(isBlocked, reason)
  }

  #watch(emitter: Pick<ChannelModel | Channel, 'on'>): void {
    emitter.on('error', (error: unknown) => {
      this.#lastWords ??= error
    })
    emitter.on(
      'close',
      unswallowed((error) => this.#lose(error)),
    )
  }

  #lose(error: unknown): void {
    if (this.#state !== 'open') return
    this.#state = 'over'
    this.#cut.abort()
    this.#listener.onLost(this.#explain(this.#lastWords ?? error))
  }

  #explain(error: unknown): FanfareError {
    const { address, queue, exchange } = this.#ask
    if (error instanceof FanfareError) return error
    const text = describeError(error ?? 'the broker closed it')
    if (codeOf(error) === RESOURCE_LOCKED) {
      return new FanfareError('group-taken', `The queue \`${queue}\` at ${address.shown} belongs to somebody else.`, { cause: error })
    }
    if (codeOf(error) === 403) {
      const needed = `\`${address.username}\` needs to configure, write and read \`${exchange}\` and \`${queue}\``
      return new FanfareError('broker-access-refused', `${address.shown} refused a permission (${needed}): ${text}.`, { cause: error })
    }
    return new FanfareError('broker-unreachable', `The control connection to ${address.shown} was lost: ${text}.`, { cause: error })
  }
}

/** amqplib puts AMQP reply codes there. */
const codeOf = (error: unknown): unknown => (error instanceof Error && 'code' in error ? error.code : undefined)
