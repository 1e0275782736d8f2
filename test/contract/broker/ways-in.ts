/**
 * One row per way in: how to have a place where probes can enter, and to see what arrived there. The behaviours in
 * `injector-behaviours.ts` are run against every row; a new injector adds a file in `src/broker` and a row here.
 */
import { connect } from 'amqplib'
import { createInjector } from '../../../src/broker/create-injector.ts'
import type { Injector } from '../../../src/broker/injector.ts'
import { loadSettings } from '../../../src/config/load.ts'
import { startBroker } from '../../../src/embedded/broker.ts'
import type { RabbitMqNode } from '../../doubles/rabbitmq-node.ts'

export interface Place {
  /** A new injector for this place, with settings on top of the place's own. */
  injector(settings?: Readonly<Record<string, string>>): Injector
  /** A key that leads to `arrived`, and one that leads nowhere. */
  readonly routingKey: string
  readonly deadKey: string
  /** Bodies that arrived, in order. */
  readonly arrived: readonly Buffer[]
  /** All connections are lost; new ones can be had. */
  interrupt(): Promise<void>
  /** Nothing can enter here any more. */
  vanish(): Promise<void>
  stop(): Promise<void>
}

export interface WayIn {
  readonly title: string
  open(): Promise<Place>
}

const EXCHANGE = 'fanfare.contract'
const PATIENCE_MS = '1000'

export const embeddedAmqp: WayIn = {
  title: 'amqp, into the embedded broker',
  async open() {
    let broker = await startBroker()
    const { port, url } = broker
    let listening = await listenAt(url)
    const arrived: Buffer[] = []
    await listening.collect(arrived)
    return {
      ...amqpPlace(url, arrived),
      async interrupt() {
        await broker.close()
        broker = await startBroker({ port })
        listening = await listenAt(url)
        await listening.collect(arrived)
      },
      vanish: () => broker.close(),
      async stop() {
        await listening.close()
        await broker.close()
      },
    }
  },
}

/** An operator closes all connections; the exchange is deleted for good. */
export const rabbitmq = (node: RabbitMqNode): WayIn => ({
  title: 'amqp, into RabbitMQ',
  async open() {
    const { url } = node
    const arrived: Buffer[] = []
    let listening = await listenAt(url)
    await listening.collect(arrived)
    return {
      ...amqpPlace(url, arrived),
      async interrupt() {
        await node.ctl('close_all_connections', 'for the test')
        listening = await listenAt(url)
        await listening.collect(arrived)
      },
      vanish: () => listening.removeExchange(),
      stop: () => listening.close(),
    }
  },
})

function amqpPlace(url: string, arrived: readonly Buffer[]): Pick<Place, 'injector' | 'routingKey' | 'deadKey' | 'arrived'> {
  const env = { AMQP_ADDR: url, AMQP_EXCHANGE: EXCHANGE, AMQP_WAIT_MS: PATIENCE_MS }
  return {
    routingKey: 'heard',
    deadKey: 'unheard',
    arrived,
    injector(settings) {
      const tls = { rejectUnauthorized: true }
      return createInjector(loadSettings({ env: { ...env, ...settings } }).settings, {
        runId: 'k3v9q2x1',
        tls,
        nowUs: () => performance.now() * 1_000,
      })
    },
  }
}

async function listenAt(url: string) {
  const connection = await connect(url)
  connection.on('error', () => {})
  const channel = await connection.createChannel()
  channel.on('error', () => {})
  await channel.assertExchange(EXCHANGE, 'topic', { durable: false })
  const { queue } = await channel.assertQueue('', { exclusive: true })
  await channel.bindQueue(queue, EXCHANGE, 'heard')
  return {
    collect: (into: Buffer[]) => channel.consume(queue, (message) => void (message && into.push(message.content)), { noAck: true }),
    removeExchange: async () => void (await channel.deleteExchange(EXCHANGE)),
    close: () => connection.close().catch(() => {}),
  }
}
