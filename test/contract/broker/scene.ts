/** What a behaviour is given: a library, a broker, names nobody else uses, and connections that are closed when it ends. */
import { randomBytes } from 'node:crypto'
import { eventually } from '../../doubles/eventually.ts'
import type { ConsumeOptions, Kit, KitChannel, KitConnection, KitMessage } from './kits/kit.ts'

/** One thing that any AMQP 0-9-1 broker of RabbitMQ's kind does, whatever client asks. */
export interface Behaviour {
  readonly title: string
  run(scene: Scene): Promise<void>
}

export class Scene {
  readonly kit: Kit
  readonly url: string
  readonly #prefix = `fanfare.contract.${randomBytes(6).toString('hex')}`
  readonly #connections: KitConnection[] = []

  constructor(kit: Kit, url: string) {
    this.kit = kit
    this.url = url
  }

  /** Who the broker takes us for. */
  get user(): string {
    return decodeURIComponent(new URL(this.url).username)
  }

  /** A name for this scene only. */
  name(suffix: string): string {
    return `${this.#prefix}.${suffix}`
  }

  async connection(): Promise<KitConnection> {
    const connection = await this.kit.open(this.url)
    this.#connections.push(connection)
    return connection
  }

  /** A channel with confirms, on a connection of its own. */
  async channel(): Promise<KitChannel> {
    const channel = await (await this.connection()).channel()
    await channel.confirmSelect()
    return channel
  }

  async close(): Promise<void> {
    await Promise.all(this.#connections.map((connection) => connection.close()))
  }
}

/** A consumer that keeps what it is given. */
export class Listener {
  readonly messages: KitMessage[] = []
  readonly tag: string

  private constructor(tag: string, messages: KitMessage[]) {
    this.tag = tag
    this.messages = messages
  }

  static async on(channel: KitChannel, queue: string, options?: ConsumeOptions): Promise<Listener> {
    const messages: KitMessage[] = []
    return new Listener(await channel.consume(queue, (message) => messages.push(message), options), messages)
  }

  get bodies(): string[] {
    return this.messages.map((message) => message.body.toString())
  }

  async hears(count: number): Promise<void> {
    await eventually(() => this.messages.length >= count, `${count} messages were heard, of ${this.messages.length}`)
  }
}

/** An exclusive queue of the server's naming, bound with each key. */
export async function boundQueue(channel: KitChannel, exchange: string, ...keys: string[]): Promise<string> {
  const { queue } = await channel.declareQueue('', { exclusive: true })
  for (const key of keys) await channel.bindQueue(queue, exchange, key)
  return queue
}

/**
 * Returns when everything the broker sent to this channel for `queue` so far has arrived: its answer comes after it.
 */
export async function settle(channel: KitChannel, queue: string): Promise<{ messageCount: number; consumerCount: number }> {
  return await channel.declareQueue(queue, { passive: true })
}
