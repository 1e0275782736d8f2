import assert from 'node:assert/strict'
import { type Behaviour, boundQueue, Listener, settle } from '../scene.ts'

export const routing: Behaviour[] = [
  {
    title: 'a topic exchange takes * for one word and # for any number',
    async run(scene) {
      const channel = await scene.channel()
      const exchange = scene.name('topic')
      await channel.declareExchange(exchange, 'topic', { autoDelete: true })
      const star = await Listener.on(channel, await boundQueue(channel, exchange, 'public.*'), { noAck: true })
      const hash = await Listener.on(channel, await boundQueue(channel, exchange, 'public.#'), { noAck: true })
      for (const key of ['public', 'public.a', 'public.a.b', 'private.a']) await channel.publish(exchange, key, key)
      await hash.hears(3)
      await star.hears(1)
      assert.deepEqual(hash.bodies, ['public', 'public.a', 'public.a.b'])
      assert.deepEqual(star.bodies, ['public.a'])
    },
  },
  {
    title: 'a direct exchange takes the key as it is, also where it looks like a pattern',
    async run(scene) {
      const channel = await scene.channel()
      const exchange = scene.name('direct')
      await channel.declareExchange(exchange, 'direct', { autoDelete: true })
      const listener = await Listener.on(channel, await boundQueue(channel, exchange, 'a.*'), { noAck: true })
      await channel.publish(exchange, 'a.b', 'no')
      await channel.publish(exchange, 'a.*', 'yes')
      await listener.hears(1)
      assert.deepEqual(listener.bodies, ['yes'])
    },
  },
  {
    title: 'a fanout exchange gives every queue a copy, whatever the key',
    async run(scene) {
      const channel = await scene.channel()
      const exchange = scene.name('fanout')
      await channel.declareExchange(exchange, 'fanout', { autoDelete: true })
      const first = await Listener.on(channel, await boundQueue(channel, exchange, ''), { noAck: true })
      const second = await Listener.on(channel, await boundQueue(channel, exchange, 'ignored'), { noAck: true })
      await channel.publish(exchange, 'any', 'copy')
      await Promise.all([first.hears(1), second.hears(1)])
      assert.deepEqual([first.bodies, second.bodies], [['copy'], ['copy']])
    },
  },
  {
    title: 'the default exchange leads to the queue named by the key',
    async run(scene) {
      const channel = await scene.channel()
      const queue = await boundQueue(channel, 'amq.topic')
      await channel.publish('', queue, 'direct')
      assert.equal((await channel.get(queue, { noAck: true }))?.body.toString(), 'direct')
    },
  },
  {
    title: 'amq.topic, amq.direct and amq.fanout are there from the start',
    async run(scene) {
      const channel = await scene.channel()
      for (const type of ['topic', 'direct', 'fanout']) await channel.declareExchange(`amq.${type}`, type, { durable: true })
      const queue = await boundQueue(channel, 'amq.direct', scene.name('key'))
      await channel.publish('amq.direct', scene.name('key'), 'here')
      assert.equal((await channel.get(queue, { noAck: true }))?.body.toString(), 'here')
    },
  },
  {
    title: 'a queue bound twice gets one copy',
    async run(scene) {
      const channel = await scene.channel()
      const exchange = scene.name('twice')
      await channel.declareExchange(exchange, 'topic', { autoDelete: true })
      const queue = await boundQueue(channel, exchange, 'a.*', '*.b', 'a.*')
      await channel.publish(exchange, 'a.b', 'once')
      assert.equal((await settle(channel, queue)).messageCount, 1)
    },
  },
  {
    title: 'after unbinding nothing more comes, and unbinding again does no harm',
    async run(scene) {
      const channel = await scene.channel()
      const key = scene.name('key')
      const queue = await boundQueue(channel, 'amq.topic', key)
      await channel.publish('amq.topic', key, 'before')
      await channel.unbindQueue(queue, 'amq.topic', key)
      await channel.unbindQueue(queue, 'amq.topic', key)
      await channel.publish('amq.topic', key, 'after')
      assert.equal((await settle(channel, queue)).messageCount, 1)
    },
  },
  {
    title: 'exchanges bound to exchanges pass messages on, each queue one copy, also in a circle',
    async run(scene) {
      const channel = await scene.channel()
      const [first, second] = [scene.name('first'), scene.name('second')]
      await channel.declareExchange(first, 'topic')
      await channel.declareExchange(second, 'fanout')
      try {
        await channel.bindExchange(second, first, 'a.#')
        await channel.bindExchange(first, second, '#')
        const queue = await boundQueue(channel, second, '')
        await channel.bindQueue(queue, first, 'a.b')
        await channel.publish(first, 'a.b', 'through')
        await channel.publish(first, 'other', 'not')
        assert.equal((await settle(channel, queue)).messageCount, 1)
        await channel.unbindExchange(second, first, 'a.#')
        await channel.publish(first, 'a.c', 'not')
        assert.equal((await settle(channel, queue)).messageCount, 1)
      } finally {
        await channel.deleteExchange(first)
        await channel.deleteExchange(second)
      }
    },
  },
]
