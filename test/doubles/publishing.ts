/**
 * A publisher on the test's own thread, through a real injector, to an exchange with a queue that keeps what arrives. What the
 * broker holds in the end is what a target would have got.
 */
import { type Channel, type ChannelModel, type ConsumeMessage, connect } from 'amqplib'
import { parseAmqpAddress } from '../../src/broker/amqp-address.ts'
import { AmqpInjector, type AmqpInjectorOptions } from '../../src/broker/amqp-injector.ts'
import { loadSettings } from '../../src/config/load.ts'
import { makePlan } from '../../src/config/plan.ts'
import { RunClock } from '../../src/measure/clock.ts'
import { anchorRunClock } from '../../src/measure/wall-clock.ts'
import { type BodyTemplate, compileTemplate } from '../../src/probe/template.ts'
import { PreciseAlarm } from '../../src/run/alarm.ts'
import { InjectingPublisher } from '../../src/run/injecting-publisher.ts'
import type { PublisherSnapshot } from '../../src/run/publisher.ts'
import { noPublisherHealth } from '../../src/run/publisher-thread-health.ts'
import { sharedLog } from '../../src/run/shared-log.ts'
import { eventually } from './eventually.ts'

/** A broker's command line tools and its alarms take seconds. */
const FACT_DEADLINE_MS = 30_000

export interface Publishing {
  readonly publisher: InjectingPublisher
  readonly notices: string[]
  readonly injectorOptions: AmqpInjectorOptions
  /** Waits until the publisher's figures satisfy `fact`. */
  until(fact: (snapshot: PublisherSnapshot) => boolean, what: string): Promise<PublisherSnapshot>
}

/** `settings` as environment variables; `over` replaces options of the injector. */
export function publishingTo(url: string, settings: Record<string, string>, over: Partial<AmqpInjectorOptions> = {}): Publishing {
  const plan = makePlan(loadSettings({ env: { AMQP_ADDR: url, ...settings } }).settings, anchorRunClock())
  const clock = new RunClock(plan.runClockOffsetUs)
  const nowUs = (): number => clock.nowUs()
  const notices: string[] = []
  const injectorOptions: AmqpInjectorOptions = {
    address: parseAmqpAddress(plan.settings.amqpAddr[0]!),
    tls: { rejectUnauthorized: true },
    connectionName: 'fanfare test publisher',
    exchange: plan.settings.amqpExchange,
    declare: plan.settings.amqpDeclare,
    window: plan.settings.confirmWindow,
    waitMs: plan.settings.amqpWaitMs,
    stallMs: 60_000,
    nowUs,
    ...over,
  }
  const publisher = new InjectingPublisher({
    plan,
    log: sharedLog(plan),
    template: compileTemplate({ template: undefined, sizeBytes: plan.settings.msgSizeBytes, lastSequence: 1_000_000 }) as BodyTemplate,
    injector: new AmqpInjector(injectorOptions),
    nowUs,
    clockBoundUs: clock.boundUs,
    makeAlarm: (ring) => new PreciseAlarm(ring),
    health: () => noPublisherHealth(0),
    notice: (text) => notices.push(text),
    lost: (error) => notices.push(error.message),
  })
  const until = (fact: (snapshot: PublisherSnapshot) => boolean, what: string): Promise<PublisherSnapshot> =>
    eventually(
      () => {
        const snapshot = publisher.snapshot()
        return fact(snapshot) && snapshot
      },
      what,
      FACT_DEADLINE_MS,
    )
  return { publisher, notices, injectorOptions, until }
}

const CONSUMER = 'catcher'

/** The other side: an exchange and a queue bound to all of it, over a connection of the test's own. */
export class Catcher {
  readonly #connection: ChannelModel
  readonly #channel: Channel
  readonly #queue: string

  private constructor(connection: ChannelModel, channel: Channel, queue: string) {
    this.#connection = connection
    this.#channel = channel
    this.#queue = queue
  }

  static async at(url: string, exchange: string): Promise<Catcher> {
    const connection = await connect(url)
    // Operators and stops end this connection too; that is told by the next call.
    connection.on('error', () => undefined)
    const channel = await connection.createChannel()
    channel.on('error', () => undefined)
    await channel.assertExchange(exchange, 'topic', { durable: false })
    const { queue } = await channel.assertQueue('', { exclusive: true })
    await channel.bindQueue(queue, exchange, '#')
    return new Catcher(connection, channel, queue)
  }

  async deleteExchange(exchange: string): Promise<void> {
    await this.#channel.deleteExchange(exchange)
  }

  /** Everything the queue holds, taken out, in order. */
  async bodies(): Promise<string[]> {
    const { messageCount } = await this.#channel.checkQueue(this.#queue)
    const bodies: string[] = []
    if (messageCount === 0) return bodies
    await new Promise<void>((resolve, reject) => {
      const take = (message: ConsumeMessage | null): void => {
        if (message !== null) bodies.push(message.content.toString())
        if (bodies.length === messageCount) resolve()
      }
      this.#channel.consume(this.#queue, take, { noAck: true, consumerTag: CONSUMER }).catch(reject)
    })
    await this.#channel.cancel(CONSUMER)
    return bodies
  }

  async close(): Promise<void> {
    await this.#connection.close().catch(() => undefined)
  }
}
