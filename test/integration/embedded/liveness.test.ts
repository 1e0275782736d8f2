import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { type Broker, startBroker } from '../../../src/embedded/broker.ts'
import { EMPTY_TABLE } from '../../../src/embedded/codec/field-table.ts'
import { eventually } from '../../doubles/eventually.ts'
import { consumeFrame, frame, headerFrame, methodFrame, publishFrames, RawAmqpClient } from '../../doubles/raw-amqp.ts'

const HEARTBEAT = frame(8, 0, Buffer.alloc(0))
const BODY = Buffer.alloc(65_536, 'x')
/** Far more than sockets, kernel buffers included, may hold for a peer that does not read. */
const FLOOD = 1_000

async function withBroker(run: (broker: Broker) => Promise<void>): Promise<void> {
  const broker = await startBroker()
  try {
    await run(broker)
  } finally {
    await broker.close()
  }
}

const declareFrame = (queue: string): Buffer =>
  methodFrame(1, 'queue.declare', {
    ticket: 0,
    queue,
    passive: false,
    durable: false,
    exclusive: false,
    autoDelete: false,
    noWait: false,
    arguments: EMPTY_TABLE,
  })

const mandatoryPublish = (routingKey: string): Buffer =>
  Buffer.concat([
    methodFrame(1, 'basic.publish', { ticket: 0, exchange: 'amq.topic', routingKey, mandatory: true, immediate: false }),
    headerFrame(1, BODY.length),
    frame(3, 1, BODY),
  ])

/** Writes until told to stop, never faster than the socket takes it; returns how much was written. */
async function flood(client: RawAmqpClient, bytes: Buffer, goesOn: (written: number) => boolean): Promise<number> {
  let written = 0
  while (goesOn(written)) {
    await new Promise<void>((resolve) => client.socket.write(bytes, () => resolve()))
    written++
  }
  return written
}

describe('heartbeats', { concurrency: true }, () => {
  test('an idle client hears them, and keeps its connection as long as it sends its own', () =>
    withBroker(async (broker) => {
      const client = await RawAmqpClient.open(broker.port, { heartbeatSeconds: 1 })
      const beats = setInterval(() => client.send(HEARTBEAT), 400)
      // One a second: longer than a silent client would be let live.
      await eventually(() => client.heartbeats >= 4, 'four heartbeats were heard')
      assert.equal(client.isClosed, false)
      clearInterval(beats)
      client.destroy()
    }))

  test('a client that falls silent is dropped', () =>
    withBroker(async (broker) => {
      const client = await RawAmqpClient.open(broker.port, { heartbeatSeconds: 1 })
      await client.closes()
      assert.deepEqual(broker.state().connections, [])
    }))

  test('a client that asked for none is left alone, and so is one that an alarm keeps from being heard', () =>
    withBroker(async (broker) => {
      const [clock, silent, blocked] = [
        await RawAmqpClient.open(broker.port, { heartbeatSeconds: 1 }),
        await RawAmqpClient.open(broker.port),
        await RawAmqpClient.open(broker.port, { heartbeatSeconds: 1 }),
      ]
      broker.faults.inject({ kind: 'alarm' })
      blocked.send(publishFrames(1, 'amq.topic', 'key', Buffer.from('x')))
      const beats = setInterval(() => clock.send(HEARTBEAT), 400)
      await eventually(() => clock.heartbeats >= 4, 'four heartbeats were heard')
      clearInterval(beats)
      assert.deepEqual([silent.isClosed, silent.heartbeats, blocked.isClosed], [false, 0, false])
      broker.faults.inject({ kind: 'clear' })
      for (const client of [clock, silent, blocked]) client.destroy()
    }))

  test('a flood of publishes does not starve the heartbeats of others', () =>
    withBroker(async (broker) => {
      const [idle, flooder] = [await RawAmqpClient.open(broker.port, { heartbeatSeconds: 1 }), await RawAmqpClient.open(broker.port)]
      // Nobody is bound: what is published costs time, not memory.
      const burst = Buffer.concat(Array.from({ length: 500 }, () => publishFrames(1, 'amq.topic', 'nobody', Buffer.from('x'))))
      const bursts = await flood(flooder, burst, () => idle.heartbeats < 2 && !idle.isClosed)
      await eventually(() => broker.state().connections.some(({ published }) => published === bursts * 500), 'the flood was taken')
      assert.equal(idle.isClosed, false)
      for (const client of [idle, flooder]) client.destroy()
    }))
})

describe('back-pressure', { concurrency: true }, () => {
  test('a consumer that does not read leaves messages in the queue, not in its socket, and gets them all when it reads', () =>
    withBroker(async (broker) => {
      const [consumer, publisher] = [await RawAmqpClient.open(broker.port), await RawAmqpClient.open(broker.port)]
      consumer.send(Buffer.concat([declareFrame('slow'), consumeFrame(1, 'slow', true)]))
      await consumer.hears('basic.consume-ok')
      consumer.socket.pause()
      await flood(publisher, publishFrames(1, '', 'slow', BODY), (written) => written < FLOOD)
      await eventually(() => broker.state().connections.some(({ published }) => published === FLOOD), 'everything was taken')
      assert.ok(broker.state().queues[0]!.messages > FLOOD / 2, `expected most of ${FLOOD} in the queue`)

      consumer.socket.resume()
      const delivered = () => consumer.heard.filter(({ name }) => name === 'basic.deliver').length
      await eventually(() => delivered() === FLOOD, 'everything was delivered')
      for (const client of [consumer, publisher]) client.destroy()
    }))

  test('a publisher that does not read its returns is not read either, until it does', () =>
    withBroker(async (broker) => {
      const publisher = await RawAmqpClient.open(broker.port)
      publisher.socket.pause()
      const published = () => broker.state().connections[0]!.published
      const flooded = flood(publisher, mandatoryPublish('nobody'), (written) => written < FLOOD)
      // It has stopped when a whole second client was served without another publish being taken.
      let before = -1
      while (before !== published()) {
        before = published()
        for (let round = 0; round < 20; round++) (await RawAmqpClient.open(broker.port)).destroy()
      }
      assert.ok(before < FLOOD / 2, `expected less than half of ${FLOOD} to be taken, got ${before}`)

      publisher.socket.resume()
      await flooded
      await eventually(() => published() === FLOOD, 'everything was taken')
      const returned = () => publisher.heard.filter(({ name }) => name === 'basic.return').length
      await eventually(() => returned() === FLOOD, 'everything was returned')
      publisher.destroy()
    }))
})
