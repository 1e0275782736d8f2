/** The AMQP side of the target, against the embedded broker. */
import assert from 'node:assert/strict'
import { afterEach, describe, it } from 'node:test'
import { type ChannelModel, connect } from 'amqplib'
import { type Broker, startBroker } from '../../../src/embedded/broker.ts'
import { DEFAULT_EXCHANGE, startTarget, type Target } from '../../../src/target/target.ts'
import { eventually } from '../../doubles/eventually.ts'
import { probeBody } from '../../doubles/probe-bodies.ts'
import { RawClient } from '../../doubles/raw-client.ts'

const DEADLINE_MS = 10_000
const RECONNECT_MS = 20

describe('the target and its broker', () => {
  const ending: (() => Promise<unknown>)[] = []
  afterEach(async () => {
    for (const end of ending.splice(0).reverse()) await end()
  })

  const broker = async (port = 0): Promise<Broker> => {
    const started = await startBroker({ port })
    ending.push(() => started.close())
    return started
  }
  const target = async (amqp: string, log: (text: string) => void = () => {}): Promise<Target> => {
    const started = await startTarget({ amqp, reconnectMs: RECONNECT_MS, log })
    ending.push(() => started.close())
    return started
  }
  const publisher = async (url: string): Promise<ChannelModel> => {
    const connection = await connect(url)
    connection.on('error', () => {})
    ending.push(() => connection.close().catch(() => {}))
    return connection
  }

  it('declares its exchange and broadcasts what is published there', async () => {
    const { url } = await broker()
    const it = await target(url)
    assert.equal(await it.whenConsuming(DEADLINE_MS), true)
    const client = await RawClient.ready(it.port, '/?stream=public.amqp,M.E')
    const channel = await (await publisher(url)).createConfirmChannel()
    await channel.checkExchange(DEFAULT_EXCHANGE)
    channel.publish(DEFAULT_EXCHANGE, 'public.amqp', Buffer.from(probeBody(0)), { mandatory: true })
    channel.publish(DEFAULT_EXCHANGE, 'public.M.E', Buffer.from('{"b":1,"a":2}'), { mandatory: true })
    await channel.waitForConfirms()
    await client.frameCount(3)
    assert.deepEqual(client.sequences(), [0])
    assert.equal(client.texts[2], '{"M.E":{"a":2,"b":1}}')
    client.socket.destroy()
  })

  it('comes back when the broker does, and keeps its clients meanwhile', async () => {
    const first = await broker()
    const it = await target(first.url)
    await it.whenConsuming(DEADLINE_MS)
    const client = await RawClient.ready(it.port, '/?stream=public.amqp')
    await first.close()
    await eventually(() => !it.isConsuming, 'the loss is seen')
    const second = await broker(first.port)
    assert.equal(await it.whenConsuming(DEADLINE_MS), true)
    const channel = await (await publisher(second.url)).createConfirmChannel()
    channel.publish(DEFAULT_EXCHANGE, 'public.amqp', Buffer.from(probeBody(1)))
    await client.hasProbe(1)
    client.socket.destroy()
  })

  it('keeps trying while the exchange is declared otherwise, and says why', async () => {
    const { url } = await broker()
    const channel = await (await publisher(url)).createChannel()
    await channel.assertExchange(DEFAULT_EXCHANGE, 'topic', { durable: true })
    const said: string[] = []
    const it = await target(url, (text) => said.push(text))
    await eventually(() => said.some((text) => text.includes('PRECONDITION')), 'the mismatch is named')
    assert.equal(it.isConsuming, false)
    await channel.deleteExchange(DEFAULT_EXCHANGE)
    assert.equal(await it.whenConsuming(DEADLINE_MS), true)
  })

  it('starts without a broker, and names neither user nor password', async () => {
    const said: string[] = []
    const it = await target('amqp://someone:secret@127.0.0.1:1/', (text) => said.push(text))
    await eventually(() => said.length > 1, 'it has tried twice')
    const client = await RawClient.ready(it.port, '/?stream=public.amqp')
    assert.equal(client.texts.length, 1)
    assert.doesNotMatch(said.join(), /secret|someone/)
    client.socket.destroy()
  })

  it('disconnects in a restart: what is published meanwhile is returned', async () => {
    const { url } = await broker()
    const it = await target(url)
    await it.whenConsuming(DEADLINE_MS)
    const channel = await (await publisher(url)).createConfirmChannel()
    const returned: string[] = []
    channel.on('return', (message) => returned.push(message.content.toString()))
    const restarted = it.act({ kind: 'restart', downMs: 150 })
    await eventually(() => !it.isConsuming, 'the queue is gone')
    for (let sequence = 0; returned.length === 0; sequence += 1) {
      channel.publish(DEFAULT_EXCHANGE, 'public.amqp', Buffer.from(String(sequence)), { mandatory: true })
      await channel.waitForConfirms()
    }
    await restarted
    assert.equal(await it.whenConsuming(DEADLINE_MS), true)
  })
})
