import assert from 'node:assert/strict'
import { test } from 'node:test'
import { connect } from 'amqplib'
import { startBroker } from '../../../src/embedded/broker.ts'

test('a publisher and a consumer meet over a topic exchange, with confirms and a return for what has no queue', async () => {
  const broker = await startBroker()
  const connection = await connect(broker.url)
  try {
    const channel = await connection.createConfirmChannel()
    await channel.assertExchange('peatio.events.ranger', 'topic', { durable: false })
    const { queue } = await channel.assertQueue('', { exclusive: true, durable: false, autoDelete: true })
    await channel.bindQueue(queue, 'peatio.events.ranger', 'public.#')

    const delivery = new Promise<string>((resolve) => {
      void channel.consume(queue, (message) => resolve(`${message?.fields.routingKey} ${message?.content}`), { noAck: true })
    })
    const returned: string[] = []
    channel.on('return', (message) => returned.push(message.properties.messageId))
    channel.publish('peatio.events.ranger', 'public.k3v9', Buffer.from('hello'), { mandatory: true, messageId: 'a' })
    channel.publish('peatio.events.ranger', 'private.k3v9', Buffer.from('nobody'), { mandatory: true, messageId: 'b' })
    await channel.waitForConfirms()

    assert.equal(await delivery, 'public.k3v9 hello')
    assert.deepEqual(returned, ['b'])
  } finally {
    await connection.close()
    await broker.close()
  }
})
