import assert from 'node:assert/strict'
import { afterEach, beforeEach, describe, test } from 'node:test'
import { type ChannelModel, type ConfirmChannel, connect } from 'amqplib'
import { type Broker, startBroker } from '../../../src/embedded/broker.ts'
import type { TruthEntry } from '../../../src/embedded/faults/truth-log.ts'
import { eventually } from '../../doubles/eventually.ts'

interface Client {
  readonly connection: ChannelModel
  readonly channel: ConfirmChannel
  /** What went wrong, in the order it was told. */
  readonly troubles: string[]
}

let broker: Broker
const open: ChannelModel[] = []

async function client(name: string): Promise<Client> {
  const connection = await connect(broker.url, { noDelay: true, clientProperties: { connection_name: name } })
  open.push(connection)
  const troubles: string[] = []
  connection.on('error', (error: Error) => troubles.push(`connection: ${error.message}`))
  connection.on('close', (error?: Error) => troubles.push(`connection closed: ${error?.message}`))
  const channel = await connection.createConfirmChannel()
  channel.on('error', (error: Error) => troubles.push(`channel: ${error.message}`))
  return { connection, channel, troubles }
}

/** Publishes to amq.topic and collects message ids by how they ended. */
class Publishing {
  readonly acked: string[] = []
  readonly nacked: string[] = []
  readonly #channel: ConfirmChannel

  constructor(channel: ConfirmChannel) {
    this.#channel = channel
  }

  publish(...messageIds: string[]): void {
    for (const messageId of messageIds) {
      this.#channel.publish('amq.topic', 'key', Buffer.from(messageId), { messageId }, (error) => {
        if (error) this.nacked.push(messageId)
        else this.acked.push(messageId)
      })
    }
  }

  async settles(count: number): Promise<void> {
    await eventually(() => this.acked.length + this.nacked.length >= count, `${count} confirms came`)
  }
}

const ids = (count: number): string[] => Array.from({ length: count }, (_, index) => `m${index + 1}`)
const truthOf = (did: TruthEntry['did']): TruthEntry[] => broker.truth.filter((entry) => entry.did === did)

async function listening(channel: ConfirmChannel): Promise<string[]> {
  const heard: string[] = []
  const { queue } = await channel.assertQueue('', { exclusive: true })
  await channel.bindQueue(queue, 'amq.topic', '#')
  await channel.consume(queue, (message) => heard.push(message === null ? 'cancelled' : message.content.toString()), { noAck: true })
  return heard
}

describe('faults on demand', () => {
  beforeEach(async () => {
    broker = await startBroker()
  })
  afterEach(async () => {
    broker.faults.inject({ kind: 'clear' })
    await Promise.allSettled(open.splice(0).map((connection) => connection.close()))
    await broker.close()
  })

  test('an alarm blocks connections that publish, and only those, until it is cleared', async () => {
    const [publisher, idle] = [await client('publisher'), await client('idle')]
    const heard = await listening(idle.channel)
    const blocked: string[] = []
    publisher.connection.on('blocked', (reason) => blocked.push(`blocked ${reason}`))
    publisher.connection.on('unblocked', () => blocked.push('unblocked'))
    idle.connection.on('blocked', () => blocked.push('idle blocked'))

    broker.faults.inject({ kind: 'alarm', reason: 'low on disk' })
    const publishing = new Publishing(publisher.channel)
    publishing.publish('m1', 'm2')
    await eventually(() => blocked.length > 0, 'the publisher was blocked')
    await idle.channel.checkExchange('amq.topic')
    assert.deepEqual([blocked, heard, publishing.acked], [['blocked low on disk'], [], []])
    assert.deepEqual(
      broker.state().connections.map(({ name, isBlocked, published }) => [name, isBlocked, published]),
      [
        ['publisher', true, 0],
        ['idle', false, 0],
      ],
    )

    broker.faults.inject({ kind: 'clear', of: 'alarm' })
    await publishing.settles(2)
    await eventually(() => heard.length === 2, 'both messages were delivered')
    assert.deepEqual(blocked, ['blocked low on disk', 'unblocked'])
    assert.deepEqual(
      broker.truth.map(({ fault, did, connection }) => [fault, did, connection]),
      [
        ['alarm', 'injected', undefined],
        ['alarm', 'blocked', 1],
        ['clear', 'injected', undefined],
        ['alarm', 'unblocked', 1],
      ],
    )
  })

  test('slow confirms leave late, in order, while everything else is prompt', async () => {
    const { channel } = await client('publisher')
    broker.faults.inject({ kind: 'confirm-delay', delayMs: 40 })
    const publishing = new Publishing(channel)
    publishing.publish(...ids(3))
    await channel.checkExchange('amq.topic')
    assert.deepEqual(publishing.acked, [])
    await publishing.settles(3)
    assert.deepEqual(publishing.acked, ids(3))
    assert.deepEqual(
      truthOf('confirm-delayed').map(({ messageId, deliveryTag, delayMs }) => [messageId, deliveryTag, delayMs]),
      [
        ['m1', 1, 40],
        ['m2', 2, 40],
        ['m3', 3, 40],
      ],
    )
  })

  test('prompt confirms overtake slow ones without confirming them', async () => {
    const { channel } = await client('publisher')
    const publishing = new Publishing(channel)
    broker.faults.inject({ kind: 'confirm-delay', delayMs: 200 })
    publishing.publish('slow')
    await eventually(() => truthOf('confirm-delayed').length === 1, 'the slow one was taken')
    broker.faults.inject({ kind: 'confirm-delay', delayMs: 0 })
    publishing.publish('prompt-1', 'prompt-2')
    await publishing.settles(3)
    assert.deepEqual(publishing.acked, ['prompt-1', 'prompt-2', 'slow'])
  })

  test('every third message is nacked and not delivered, exactly those in the truth log', async () => {
    const { channel } = await client('publisher')
    const heard = await listening(channel)
    broker.faults.inject({ kind: 'nack', every: 3 })
    const publishing = new Publishing(channel)
    publishing.publish(...ids(10))
    await publishing.settles(10)
    assert.deepEqual(publishing.nacked, ['m3', 'm6', 'm9'])
    assert.deepEqual(
      truthOf('nacked').map(({ messageId, routingKey, exchange }) => [messageId, routingKey, exchange]),
      publishing.nacked.map((id) => [id, 'key', 'amq.topic']),
    )
    await eventually(() => heard.length === 7, 'the others were delivered')
    assert.deepEqual(heard, publishing.acked)
  })

  test('the next two messages are nacked although they are delivered', async () => {
    const { channel } = await client('publisher')
    const heard = await listening(channel)
    broker.faults.inject({ kind: 'nack', next: 2, isRouted: true })
    const publishing = new Publishing(channel)
    publishing.publish(...ids(4))
    await publishing.settles(4)
    await eventually(() => heard.length === 4, 'all were delivered')
    assert.deepEqual([publishing.nacked, publishing.acked], [ids(2), ['m3', 'm4']])
  })

  test('dropped confirms never come, neither alone nor among others', async () => {
    const { channel } = await client('publisher')
    const heard = await listening(channel)
    broker.faults.inject({ kind: 'confirm-drop', every: 2 })
    const publishing = new Publishing(channel)
    publishing.publish(...ids(6))
    await publishing.settles(3)
    await channel.checkExchange('amq.topic')
    assert.deepEqual([publishing.acked, publishing.nacked], [['m1', 'm3', 'm5'], []])
    assert.deepEqual(
      truthOf('confirm-dropped').map(({ messageId }) => messageId),
      ['m2', 'm4', 'm6'],
    )
    await eventually(() => heard.length === 6, 'all were delivered')
  })

  test('the channels of publishers are closed with a code, other channels are not', async () => {
    const [publisher, other] = [await client('publisher'), await client('other')]
    const publishing = new Publishing(publisher.channel)
    publishing.publish('m1')
    await publishing.settles(1)
    broker.faults.inject({ kind: 'close-channels', code: 406, text: 'on demand', on: { role: 'publisher' } })
    await eventually(() => publisher.troubles.length > 0, 'the channel was closed')
    assert.match(publisher.troubles[0]!, /406 \(PRECONDITION-FAILED\) with message "PRECONDITION_FAILED - on demand"/)
    await other.channel.checkExchange('amq.topic')
    await (await publisher.connection.createChannel()).checkExchange('amq.topic')
    assert.deepEqual(
      truthOf('channel-closed').map(({ connection, channel, code, published }) => ({ connection, channel, code, published })),
      [{ connection: 1, channel: 1, code: 406, published: 1 }],
    )
  })

  test('a connection is closed as an operator would, chosen by its name', async () => {
    const [victim, other] = [await client('victim'), await client('other')]
    broker.faults.inject({ kind: 'close-connections', code: 320, text: 'CLOSED_VIA_DEMAND', on: { name: 'victim' } })
    await eventually(() => victim.troubles.length > 0, 'the connection was closed')
    assert.match(victim.troubles[0]!, /320 \(CONNECTION-FORCED\) with message "CONNECTION_FORCED - CLOSED_VIA_DEMAND"/)
    await other.channel.checkExchange('amq.topic')
    assert.deepEqual(
      truthOf('connection-closed').map(({ connection }) => connection),
      [1],
    )
  })

  for (const how of ['reset', 'end'] as const) {
    test(`sockets are dropped without a word (${how}), and what consumers held goes back`, async () => {
      const [victim, other] = [await client('victim'), await client('other')]
      await other.channel.assertQueue('shared', { durable: false })
      other.channel.sendToQueue('shared', Buffer.from('kept'))
      await other.channel.waitForConfirms()
      let held = 0
      await victim.channel.consume('shared', () => held++)
      await eventually(() => held === 1, 'the message was delivered')
      broker.faults.inject({ kind: 'drop-sockets', how, on: { role: 'consumer' } })
      await eventually(() => victim.troubles.length > 0, 'the connection was lost')
      const again = await other.channel.get('shared')
      assert.equal(again && `${again.content} ${again.fields.redelivered}`, 'kept true')
      assert.deepEqual(
        truthOf('socket-dropped').map((entry) => [entry.connection, entry.how]),
        [[1, how]],
      )
    })
  }

  test('new connections are refused as often as asked, then let in', async () => {
    broker.faults.inject({ kind: 'refuse-connections', next: 2 })
    await assert.rejects(connect(broker.url))
    await assert.rejects(connect(broker.url))
    await client('third')
    assert.equal(truthOf('connection-refused').length, 2)
  })

  test('new connections are refused until told otherwise', async () => {
    broker.faults.inject({ kind: 'refuse-connections', how: 'end' })
    for (let attempt = 0; attempt < 3; attempt++) await assert.rejects(connect(broker.url))
    broker.faults.inject({ kind: 'clear', of: 'refuse-connections' })
    await client('at last')
  })

  for (const [code, name] of [
    [403, 'ACCESS_REFUSED'],
    [404, 'NOT_FOUND'],
    [406, 'PRECONDITION_FAILED'],
  ] as const) {
    test(`a publish is answered with ${code}, the next one is not`, async () => {
      const { connection, channel, troubles } = await client('publisher')
      broker.faults.inject({ kind: 'refuse-method', method: 'basic.publish', code, next: 1 })
      channel.publish('amq.topic', 'key', Buffer.from('x'))
      await eventually(() => troubles.length > 0, 'the channel was closed')
      assert.match(troubles[0]!, new RegExp(`${name} - basic.publish is refused on demand`))
      const publishing = new Publishing(await connection.createConfirmChannel())
      publishing.publish('m1')
      await publishing.settles(1)
      assert.deepEqual(
        truthOf('method-refused').map((entry) => [entry.method, entry.code, entry.channel]),
        [['basic.publish', code, 1]],
      )
    })
  }

  test('a right password is refused on demand', async () => {
    broker.faults.inject({ kind: 'refuse-method', method: 'connection.start-ok', code: 403, next: 1 })
    await assert.rejects(connect(broker.url), /ACCESS_REFUSED/)
    await client('second try')
  })

  test('an exchange deleted in mid-run is missed by the next publish', async () => {
    const { channel, troubles } = await client('publisher')
    await channel.assertExchange('doomed', 'topic', { durable: false })
    broker.faults.inject({ kind: 'delete-exchange', exchange: 'doomed' })
    channel.publish('doomed', 'key', Buffer.from('x'))
    await eventually(() => troubles.length > 0, 'the channel was closed')
    assert.match(troubles[0]!, /NOT_FOUND - no exchange 'doomed' in vhost '\/'/)
  })

  test('a queue deleted in mid-run cancels its consumers', async () => {
    const { channel } = await client('consumer')
    const heard = await listening(channel)
    broker.faults.inject({ kind: 'delete-queue', queue: broker.state().queues[0]!.name })
    await eventually(() => heard.includes('cancelled'), 'the consumer was cancelled')
    assert.deepEqual(broker.state().queues, [])
  })

  test('deliveries are withheld from one queue and come when released', async () => {
    const { channel } = await client('consumer')
    const [heard, other] = [await listening(channel), await listening(channel)]
    broker.faults.inject({ kind: 'withhold-deliveries', queue: broker.state().queues[0]!.name })
    const publishing = new Publishing(channel)
    publishing.publish(...ids(3))
    await publishing.settles(3)
    await eventually(() => other.length === 3, 'the other queue delivered')
    assert.deepEqual(heard, [])
    broker.faults.inject({ kind: 'clear', of: 'withhold-deliveries' })
    await eventually(() => heard.length === 3, 'what was withheld came')
    assert.deepEqual(heard, ids(3))
  })

  test('a fault that makes no sense is refused with every problem, and nothing is done', () => {
    const nonsense = { kind: 'nack', every: 0, isRouted: 'maybe', colour: 'red' } as never
    assert.throws(() => broker.faults.inject(nonsense), {
      code: 'settings-invalid',
      message: [
        'Expected no `colour` of nack: there is no such field',
        'Expected `every` of nack to be a whole number from 1, got 0',
        'Expected `isRouted` of nack to be true or false, got "maybe"',
      ].join('\n'),
    })
    assert.throws(() => broker.faults.inject({ kind: 'delete-exchange', exchange: 'absent' }), { code: 'settings-invalid' })
    assert.throws(() => broker.faults.inject({ kind: 'nack' } as never), /Expected either `next` or `every` of nack/)
    assert.throws(() => broker.faults.inject({ kind: 'weird' } as never), /Expected a fault with a kind of/)
    assert.deepEqual(broker.truth, [])
  })
})
