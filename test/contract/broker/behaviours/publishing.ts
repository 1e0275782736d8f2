import assert from 'node:assert/strict'
import { eventually } from '../../../doubles/eventually.ts'
import { type Behaviour, boundQueue, Listener } from '../scene.ts'

/** RabbitMQ's and the embedded broker's largest frame without its overhead. */
const MAX_PAYLOAD_BYTES = 131_072 - 8

export const publishing: Behaviour[] = [
  {
    title: 'a thousand messages published at once are all confirmed and arrive in order',
    async run(scene) {
      const channel = await scene.channel()
      const queue = await boundQueue(channel, 'amq.topic')
      const listener = await Listener.on(channel, queue, { noAck: true })
      const numbers = Array.from({ length: 1_000 }, (_, index) => String(index))
      await Promise.all(numbers.map((number) => channel.publish('', queue, number)))
      await listener.hears(numbers.length)
      assert.deepEqual(listener.bodies, numbers)
    },
  },
  {
    title: 'a mandatory message without a queue is returned as it was, and confirmed',
    async run(scene) {
      const channel = await scene.channel()
      const returned: string[] = []
      channel.onReturned(({ messageId, exchange, routingKey, body }) => returned.push(`${messageId} ${exchange} ${routingKey} ${body}`))
      await channel.publish('amq.topic', scene.name('nobody'), 'lost', { mandatory: true, messageId: 'm-1' })
      // One library tells of a return a moment later than of the confirm that came after it.
      await eventually(() => returned.length > 0, 'the message was returned')
      assert.deepEqual(returned, [`m-1 amq.topic ${scene.name('nobody')} lost`])
    },
  },
  {
    title: 'a message without a queue that is not mandatory is confirmed and not returned',
    async run(scene) {
      const channel = await scene.channel()
      const returned: unknown[] = []
      channel.onReturned((message) => returned.push(message))
      await channel.publish('amq.topic', scene.name('nobody'), 'lost')
      assert.deepEqual(returned, [])
    },
  },
  ...([0, 1, MAX_PAYLOAD_BYTES, MAX_PAYLOAD_BYTES + 1, 300_000, 3_000_000].map((bodyBytes) => ({
    title: `a body of ${bodyBytes} bytes arrives unchanged`,
    async run(scene) {
      const channel = await scene.channel()
      const queue = await boundQueue(channel, 'amq.topic')
      const body = Buffer.from(Array.from({ length: Math.min(bodyBytes, 997) }, (_, index) => index % 251))
      const whole = Buffer.alloc(bodyBytes, body.length === 0 ? undefined : body)
      await channel.publish('', queue, whole, { contentType: 'application/octet-stream' })
      const message = await channel.get(queue, { noAck: true })
      assert.ok(message?.body.equals(whole))
    },
  })) satisfies Behaviour[]),
  {
    title: 'properties and headers arrive unchanged',
    async run(scene) {
      const channel = await scene.channel()
      const queue = await boundQueue(channel, 'amq.topic')
      const headers = { text: 'ünïcode', whole: 70_000, negative: -5, half: 0.5, yes: true }
      await channel.publish('', queue, 'x', { messageId: 'm-2', contentType: 'application/octet-stream', userId: scene.user, headers })
      const message = await channel.get(queue, { noAck: true })
      assert.equal(message?.messageId, 'm-2')
      assert.equal(message.contentType, 'application/octet-stream')
      assert.deepEqual({ ...message.headers }, headers)
      assert.equal(message.routingKey, queue)
      assert.equal(message.exchange, '')
    },
  },
]
