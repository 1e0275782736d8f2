import assert from 'node:assert/strict'
import { eventually } from '../../../doubles/eventually.ts'
import type { KitChannel } from '../kits/kit.ts'
import { type Behaviour, boundQueue, Listener, settle } from '../scene.ts'

async function publishAll(channel: KitChannel, queue: string, bodies: readonly string[]): Promise<void> {
  await Promise.all(bodies.map((body) => channel.publish('', queue, body)))
}

export const consuming: Behaviour[] = [
  {
    title: 'basic.get takes the oldest message and says how many are left, and says when there is none',
    async run(scene) {
      const channel = await scene.channel()
      const queue = await boundQueue(channel, 'amq.topic')
      assert.equal(await channel.get(queue), undefined)
      await publishAll(channel, queue, ['a', 'b'])
      assert.equal((await channel.get(queue, { noAck: true }))?.body.toString(), 'a')
      assert.equal((await settle(channel, queue)).messageCount, 1)
    },
  },
  {
    title: 'prefetch is the most that is delivered and not acknowledged, and a multiple ack makes room for as many',
    async run(scene) {
      const channel = await scene.channel()
      const queue = await boundQueue(channel, 'amq.topic')
      await publishAll(channel, queue, ['1', '2', '3', '4', '5', '6', '7', '8'])
      await channel.qos(3)
      const listener = await Listener.on(channel, queue)
      await listener.hears(3)
      await settle(channel, queue)
      assert.deepEqual(listener.bodies, ['1', '2', '3'])
      channel.ack(listener.messages[1]!.deliveryTag, true)
      await listener.hears(5)
      await settle(channel, queue)
      assert.deepEqual(listener.bodies, ['1', '2', '3', '4', '5'])
    },
  },
  {
    title: 'prefetch for the channel is shared by its consumers',
    async run(scene) {
      const channel = await scene.channel()
      const queue = await boundQueue(channel, 'amq.topic')
      await channel.qos(3, true)
      const first = await Listener.on(channel, queue)
      const second = await Listener.on(channel, queue)
      await publishAll(channel, queue, ['1', '2', '3', '4', '5', '6'])
      const heard = () => first.messages.length + second.messages.length
      await eventually(() => heard() >= 3, 'three messages were heard')
      await settle(channel, queue)
      assert.equal(heard(), 3)
    },
  },
  {
    title: 'consumers of a queue take turns',
    async run(scene) {
      const channel = await scene.channel()
      const queue = await boundQueue(channel, 'amq.topic')
      const first = await Listener.on(channel, queue, { noAck: true })
      const second = await Listener.on(channel, queue, { noAck: true })
      for (const body of ['1', '2', '3', '4']) await channel.publish('', queue, body)
      await Promise.all([first.hears(2), second.hears(2)])
      assert.deepEqual([...first.bodies, ...second.bodies].sort(), ['1', '2', '3', '4'])
    },
  },
  {
    title: 'a message nacked with requeue comes again, in its old place, marked as redelivered',
    async run(scene) {
      const channel = await scene.channel()
      const queue = await boundQueue(channel, 'amq.topic')
      await publishAll(channel, queue, ['1', '2', '3'])
      const [first, second] = [await channel.get(queue), await channel.get(queue)]
      assert.equal(first?.redelivered, false)
      channel.nack(second!.deliveryTag)
      channel.nack(first!.deliveryTag)
      const again = [await channel.get(queue), await channel.get(queue), await channel.get(queue)]
      assert.deepEqual(
        again.map((message) => `${message?.body} ${message?.redelivered}`),
        ['1 true', '2 true', '3 false'],
      )
    },
  },
  {
    title: 'a message nacked without requeue is gone, and multiple covers those before it',
    async run(scene) {
      const channel = await scene.channel()
      const queue = await boundQueue(channel, 'amq.topic')
      await publishAll(channel, queue, ['1', '2', '3'])
      await channel.get(queue)
      const second = await channel.get(queue)
      channel.nack(second!.deliveryTag, { multiple: true, requeue: false })
      assert.equal((await channel.get(queue))?.body.toString(), '3')
      assert.equal(await channel.get(queue), undefined)
    },
  },
  {
    title: 'what a channel did not acknowledge goes back to the queue when the channel closes',
    async run(scene) {
      const connection = await scene.connection()
      const [publisher, doomed] = [await connection.channel(), await connection.channel()]
      await publisher.confirmSelect()
      const queue = await boundQueue(publisher, 'amq.topic')
      await publishAll(publisher, queue, ['1', '2'])
      const listener = await Listener.on(doomed, queue)
      await listener.hears(2)
      doomed.ack(listener.messages[0]!.deliveryTag)
      await settle(doomed, queue)
      await doomed.close()
      const back = await publisher.get(queue)
      assert.equal(back?.body.toString(), '2')
      assert.equal(back.redelivered, true)
      assert.equal(await publisher.get(queue), undefined)
    },
  },
  {
    title: 'basic.recover gives back everything that was not acknowledged',
    async run(scene) {
      const channel = await scene.channel()
      const queue = await boundQueue(channel, 'amq.topic')
      await publishAll(channel, queue, ['1', '2'])
      await channel.get(queue)
      await channel.get(queue)
      await channel.recover()
      assert.equal((await channel.get(queue))?.redelivered, true)
    },
  },
  {
    title: 'after cancelling nothing more is delivered, and what was delivered can still be acknowledged',
    async run(scene) {
      const channel = await scene.channel()
      const queue = await boundQueue(channel, 'amq.topic')
      const listener = await Listener.on(channel, queue)
      await channel.publish('', queue, '1')
      await listener.hears(1)
      await channel.cancel(listener.tag)
      await channel.publish('', queue, '2')
      channel.ack(listener.messages[0]!.deliveryTag)
      assert.equal((await settle(channel, queue)).messageCount, 1)
      assert.deepEqual(listener.bodies, ['1'])
    },
  },
  {
    title: 'a consumer is told when its queue is deleted',
    async run(scene) {
      const [channel, other] = [await scene.channel(), await scene.channel()]
      const queue = scene.name('doomed')
      await other.declareQueue(queue, { autoDelete: true })
      let isCancelled = false
      channel.onCancelled(() => {
        isCancelled = true
      })
      await Listener.on(channel, queue)
      await other.deleteQueue(queue)
      await eventually(() => isCancelled, 'the consumer was cancelled')
    },
  },
  {
    title: 'a second consumer beside an exclusive one is refused',
    async run(scene) {
      const channel = await scene.channel()
      const queue = await boundQueue(channel, 'amq.topic')
      await Listener.on(channel, queue, { exclusive: true })
      await assert.rejects(Listener.on(channel, queue), /queue '.*' in vhost '\/' in exclusive use/)
    },
  },
]
