/**
 * The AMQP side, as rango has it: declares the exchange (topic, not durable), an exclusive auto-delete queue of its own bound
 * with `#`, consumes without acknowledgements, and comes back when the broker does. Errors are logged and never end the target.
 */
import { type ChannelModel, type ConsumeMessage, connect, credentials } from 'amqplib'
import { describeError, FanfareError } from '../errors.ts'

const EVERYTHING = '#'
const CONNECT_TIMEOUT_MS = 10_000
const STOP_TIMEOUT_MS = 1_000

export interface ConsumerSettings {
  /** amqp:// URL. Its password is never logged. */
  readonly url: string
  readonly exchange: string
  readonly reconnectMs: number
  onMessage(routingKey: string, content: Buffer): void
  log(text: string): void
}

export class Consumer {
  readonly #settings: ConsumerSettings
  readonly #login: Login
  #connection: ChannelModel | undefined
  #isWanted = false
  #isConsuming = false
  #timer: NodeJS.Timeout | undefined
  #waiters: (() => void)[] = []

  constructor(settings: ConsumerSettings) {
    this.#settings = settings
    this.#login = loginOf(settings.url)
  }

  get isConsuming(): boolean {
    return this.#isConsuming
  }

  start(): void {
    this.#isWanted = true
    void this.#attempt()
  }

  /** Resolves once the queue is bound and consumed: true, or false after `timeoutMs`. */
  async whenConsuming(timeoutMs: number): Promise<boolean> {
    if (this.#isConsuming) return true
    return await new Promise((resolve) => {
      const timer = setTimeout(() => resolve(false), timeoutMs)
      this.#waiters.push(() => {
        clearTimeout(timer)
        resolve(true)
      })
    })
  }

  /** Disconnects; the queue goes with the connection. */
  async stop(): Promise<void> {
    this.#isWanted = false
    this.#isConsuming = false
    clearTimeout(this.#timer)
    const connection = this.#connection
    this.#connection = undefined
    if (connection === undefined) return
    const deadline = new Promise<void>((resolve) => setTimeout(resolve, STOP_TIMEOUT_MS).unref())
    await Promise.race([connection.close().catch(() => {}), deadline])
  }

  async #attempt(): Promise<void> {
    try {
      const connection = await connect(this.#settings.url, { noDelay: true, timeout: CONNECT_TIMEOUT_MS, ...this.#login })
      if (!this.#isWanted) return await connection.close()
      this.#connection = connection
      connection.on('error', (error) => this.#settings.log(`AMQP connection: ${describeError(error)}`))
      connection.on('close', () => this.#lose(connection))
      await this.#consume(connection)
    } catch (error) {
      if (!this.#isWanted) return
      this.#settings.log(`AMQP: ${describeError(error)}; next attempt in ${this.#settings.reconnectMs} ms`)
      const connection = this.#connection
      if (connection === undefined) this.#retry()
      else await connection.close().catch(() => this.#lose(connection))
    }
  }

  async #consume(connection: ChannelModel): Promise<void> {
    const { exchange, onMessage } = this.#settings
    const channel = await connection.createChannel()
    // A channel that dies, or whose queue was deleted, takes the connection along: one way back for all.
    const startOver = () => void connection.close().catch(() => this.#lose(connection))
    channel.on('error', (error) => this.#settings.log(`AMQP channel: ${describeError(error)}`))
    channel.on('close', startOver)
    await channel.assertExchange(exchange, 'topic', { durable: false, autoDelete: false, internal: false })
    const { queue } = await channel.assertQueue('', { durable: false, autoDelete: true, exclusive: true })
    await channel.bindQueue(queue, exchange, EVERYTHING)
    const take = (message: ConsumeMessage | null) => {
      if (message === null) startOver()
      else onMessage(message.fields.routingKey, message.content)
    }
    await channel.consume(queue, take, { noAck: true, exclusive: true })
    this.#isConsuming = true
    for (const wake of this.#waiters.splice(0)) wake()
  }

  #lose(connection: ChannelModel): void {
    if (this.#connection !== connection) return
    this.#connection = undefined
    this.#isConsuming = false
    if (this.#isWanted) this.#retry()
  }

  #retry(): void {
    clearTimeout(this.#timer)
    this.#timer = setTimeout(() => void this.#attempt(), this.#settings.reconnectMs)
  }
}

type Login = { readonly credentials?: ReturnType<typeof credentials.plain> }

/** The library reads percent-encoding byte by byte, so names and passwords beyond ASCII are decoded here. The URL is never repeated in errors. */
function loginOf(url: string): Login {
  try {
    const { protocol, username, password } = new URL(url)
    if (/^amqps?:$/.test(protocol)) {
      const hasLogin = username !== '' || password !== ''
      return hasLogin ? { credentials: credentials.plain(decodeURIComponent(username), decodeURIComponent(password)) } : {}
    }
  } catch {
    // no URL, or a % that starts no character
  }
  throw new FanfareError('settings-invalid', 'Expected the broker address of the target to be an amqp:// or amqps:// URL')
}
