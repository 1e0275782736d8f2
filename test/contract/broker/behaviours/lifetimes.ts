import assert from 'node:assert/strict'
import { type Behaviour, boundQueue, Listener, settle } from '../scene.ts'

export const lifetimes: Behaviour[] = [
  {
    title: 'an empty queue name asks for one of the server',
    async run(scene) {
      const channel = await scene.channel()
      const first = await channel.declareQueue('', { exclusive: true })
      const second = await channel.declareQueue('', { exclusive: true })
      assert.match(first.queue, /^amq\.gen-.{10,}$/)
      assert.notEqual(first.queue, second.queue)
    },
  },
  {
    title: 'an exclusive queue is locked for other connections and goes with its own',
    async run(scene) {
      const [owner, other, third] = [await scene.connection(), await scene.channel(), await scene.channel()]
      const queue = scene.name('exclusive')
      await (await owner.channel()).declareQueue(queue, { exclusive: true })
      await assert.rejects(other.declareQueue(queue, { passive: true }), /cannot obtain exclusive access to locked queue/)
      await owner.close()
      await assert.rejects(third.declareQueue(queue, { passive: true }), /no queue '.*' in vhost '\/'/)
    },
  },
  {
    title: 'an auto-delete queue goes with its last consumer, not before',
    async run(scene) {
      const channel = await scene.channel()
      const queue = scene.name('auto')
      await channel.declareQueue(queue, { autoDelete: true })
      const [first, second] = [await Listener.on(channel, queue), await Listener.on(channel, queue)]
      await channel.cancel(first.tag)
      assert.equal((await settle(channel, queue)).consumerCount, 1)
      await channel.cancel(second.tag)
      await assert.rejects(channel.declareQueue(queue, { passive: true }), /no queue/)
    },
  },
  {
    title: 'an auto-delete exchange goes with its last binding, and a queue takes its bindings along',
    async run(scene) {
      const channel = await scene.channel()
      const exchange = scene.name('auto')
      await channel.declareExchange(exchange, 'topic', { autoDelete: true })
      const [first, second] = [await boundQueue(channel, exchange, 'a'), await boundQueue(channel, exchange, 'a')]
      await channel.deleteQueue(first)
      await channel.declareExchange(exchange, 'topic', { passive: true })
      await channel.deleteQueue(second)
      await assert.rejects(channel.declareExchange(exchange, 'topic', { passive: true }), /no exchange/)
    },
  },
  {
    title: 'declaring again what is there in the same way succeeds and tells the counts',
    async run(scene) {
      const channel = await scene.channel()
      const queue = scene.name('again')
      await channel.declareQueue(queue, { exclusive: true })
      await channel.publish('', queue, '1')
      const { messageCount, consumerCount } = await channel.declareQueue(queue, { exclusive: true })
      assert.deepEqual({ messageCount, consumerCount }, { messageCount: 1, consumerCount: 0 })
    },
  },
  {
    title: 'purging tells how many messages it dropped',
    async run(scene) {
      const channel = await scene.channel()
      const queue = await boundQueue(channel, 'amq.topic')
      await channel.publish('', queue, '1')
      await channel.publish('', queue, '2')
      assert.equal(await channel.purgeQueue(queue), 2)
      assert.equal((await settle(channel, queue)).messageCount, 0)
    },
  },
  {
    title: 'deleting what is not there succeeds',
    async run(scene) {
      const channel = await scene.channel()
      await channel.deleteQueue(scene.name('absent'))
      await channel.deleteExchange(scene.name('absent'))
    },
  },
  {
    title: 'a channel can be closed and another opened, many times over',
    async run(scene) {
      const connection = await scene.connection()
      for (let round = 0; round < 50; round++) await (await connection.channel()).close()
      const channel = await connection.channel()
      await channel.declareExchange('amq.topic', 'topic', { passive: true })
    },
  },
]
