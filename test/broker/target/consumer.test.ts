/** The AMQP side of the target against a real RabbitMQ: its exchange, its queue, and its way back. */
import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { afterEach, beforeEach, describe, it } from 'node:test'
import { type ChannelModel, type ConfirmChannel, connect } from 'amqplib'
import { startTarget, type Target } from '../../../src/target/target.ts'
import { eventually } from '../../doubles/eventually.ts'
import { probeBody } from '../../doubles/probe-bodies.ts'
import { RawClient } from '../../doubles/raw-client.ts'

const AMQP = process.env.TEST_AMQP_ADDR ?? ''
const DEADLINE_MS = 10_000

describe('the target and RabbitMQ', () => {
  let exchange: string
  let connection: ChannelModel
  let channel: ConfirmChannel
  let target: Target | undefined
  const said: string[] = []

  beforeEach(async () => {
    exchange = `fanfare-test-${randomUUID()}`
    connection = await connect(AMQP)
    channel = await connection.createConfirmChannel()
  })
  afterEach(async () => {
    await target?.close()
    target = undefined
    await channel.deleteExchange(exchange)
    await connection.close()
  })
  const start = async () => {
    target = await startTarget({ amqp: AMQP, exchange, reconnectMs: 50, log: (text) => said.push(text) })
    return target
  }

  it('broadcasts every confirmed message, in order, and none is returned', async () => {
    const it = await start()
    assert.equal(await it.whenConsuming(DEADLINE_MS), true)
    const client = await RawClient.ready(it.port, '/?stream=public.real')
    channel.on('return', () => assert.fail('a message found no queue'))
    for (let sequence = 0; sequence < 2_000; sequence += 1) {
      channel.publish(exchange, 'public.real', Buffer.from(probeBody(sequence)), { mandatory: true })
    }
    await channel.waitForConfirms()
    await client.frameCount(1 + 2_000)
    assert.deepEqual(
      client.sequences(),
      Array.from({ length: 2_000 }, (_, index) => index),
    )
    assert.deepEqual(it.truth.client(0)?.streams[0]?.written, [[0, 1_999]])
    client.socket.destroy()
  })

  it('keeps trying while its exchange is durable, and says why', async () => {
    await channel.assertExchange(exchange, 'topic', { durable: true })
    const it = await start()
    await eventually(() => said.some((text) => text.includes('PRECONDITION_FAILED')), 'the mismatch is named')
    assert.equal(it.isConsuming, false)
    await channel.deleteExchange(exchange)
    assert.equal(await it.whenConsuming(DEADLINE_MS), true)
  })
})
