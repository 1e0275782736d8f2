import assert from 'node:assert/strict'
import type { KitChannel } from '../kits/kit.ts'
import { type Behaviour, boundQueue, Listener, type Scene } from '../scene.ts'

/** What ends the channel, and the text that says why. */
interface ChannelRefusal {
  readonly title: string
  ask(channel: KitChannel, scene: Scene): Promise<unknown>
  readonly text: RegExp
}

const channelRefusals: ChannelRefusal[] = [
  {
    title: 'publishing to an exchange that is not there',
    ask: (channel, scene) => channel.publish(scene.name('absent'), 'key', 'x'),
    text: /no exchange '.*absent' in vhost '\/'/,
  },
  {
    title: 'looking for an exchange that is not there',
    ask: (channel, scene) => channel.declareExchange(scene.name('absent'), 'topic', { passive: true }),
    text: /no exchange '.*absent' in vhost '\/'/,
  },
  {
    title: 'looking for a queue that is not there',
    ask: (channel, scene) => channel.declareQueue(scene.name('absent'), { passive: true }),
    text: /no queue '.*absent' in vhost '\/'/,
  },
  {
    title: 'consuming from a queue that is not there',
    ask: (channel, scene) => Listener.on(channel, scene.name('absent')),
    text: /no queue '.*absent' in vhost '\/'/,
  },
  {
    title: 'binding to an exchange that is not there',
    ask: (channel, scene) => boundQueue(channel, scene.name('absent'), 'key'),
    text: /no exchange '.*absent' in vhost '\/'/,
  },
  {
    title: 'declaring an exchange of another type',
    ask: (channel) => channel.declareExchange('amq.topic', 'fanout', { durable: true }),
    text: /inequivalent arg 'type' for exchange 'amq\.topic' in vhost '\/': received 'fanout' but current is 'topic'/,
  },
  {
    title: 'declaring an exchange with another durability',
    ask: (channel) => channel.declareExchange('amq.topic', 'topic', { durable: false }),
    text: /inequivalent arg 'durable' for exchange 'amq\.topic' in vhost '\/': received 'false' but current is 'true'/,
  },
  {
    title: 'declaring a queue otherwise',
    async ask(channel, scene) {
      await channel.declareQueue(scene.name('queue'), { exclusive: true })
      await channel.declareQueue(scene.name('queue'), { exclusive: true, autoDelete: true })
    },
    text: /inequivalent arg 'auto_delete' for queue '.*queue' in vhost '\/': received 'true' but current is 'false'/,
  },
  {
    title: 'declaring an exchange with a reserved name',
    ask: (channel) => channel.declareExchange('amq.mine', 'topic'),
    text: /exchange name 'amq\.mine' contains reserved prefix 'amq\.\*'/,
  },
  {
    title: 'deleting an exchange of the server',
    ask: (channel) => channel.deleteExchange('amq.topic'),
    text: /deletion of system exchange 'amq\.topic' in vhost '\/' not allowed/,
  },
  {
    title: 'binding to the default exchange',
    ask: (channel) => boundQueue(channel, '', 'key'),
    text: /operation not permitted on the default exchange/,
  },
  {
    title: 'publishing to an internal exchange',
    async ask(channel, scene) {
      const exchange = scene.name('internal')
      await channel.declareExchange(exchange, 'topic', { internal: true, autoDelete: true })
      await boundQueue(channel, exchange, 'key')
      await channel.publish(exchange, 'key', 'x')
    },
    text: /cannot publish to internal exchange '.*internal' in vhost '\/'/,
  },
  {
    title: 'publishing in the name of somebody else',
    ask: (channel) => channel.publish('amq.topic', 'key', 'x', { userId: 'somebody' }),
    text: /user_id property set to 'somebody' but authenticated user was '.+'/,
  },
  {
    title: 'acknowledging what was not delivered',
    async ask(channel) {
      channel.ack(77)
      throw new Error(await channel.ended)
    },
    text: /unknown delivery tag 77/,
  },
  {
    title: 'deleting a queue that is used, only if it is not',
    async ask(channel) {
      const queue = await boundQueue(channel, 'amq.topic')
      await Listener.on(channel, queue)
      await channel.deleteQueue(queue, { ifUnused: true })
    },
    text: /queue '.*' in vhost '\/' in use/,
  },
  {
    title: 'deleting a queue that is not empty, only if it is',
    async ask(channel) {
      const queue = await boundQueue(channel, 'amq.topic')
      await channel.publish('', queue, 'x')
      await channel.deleteQueue(queue, { ifEmpty: true })
    },
    text: /queue '.*' in vhost '\/' not empty/,
  },
]

const connectionRefusals: ChannelRefusal[] = [
  {
    title: 'declaring an exchange of an unknown type',
    ask: (channel, scene) => channel.declareExchange(scene.name('weird'), 'weird'),
    text: /unknown exchange type 'weird'/,
  },
  {
    title: 'using a consumer tag twice on a channel',
    async ask(channel) {
      const queue = await boundQueue(channel, 'amq.topic')
      await Listener.on(channel, queue, { tag: 'twice' })
      await Listener.on(channel, queue, { tag: 'twice' })
    },
    text: /attempt to reuse consumer tag 'twice'/,
  },
]

export const refusals: Behaviour[] = [
  ...channelRefusals.map(({ title, ask, text }) => ({
    title: `${title} ends the channel, says why, and leaves the connection as it is`,
    async run(scene: Scene) {
      const connection = await scene.connection()
      const channel = await connection.channel()
      await channel.confirmSelect()
      await assert.rejects(ask(channel, scene), text)
      await (await connection.channel()).declareExchange('amq.topic', 'topic', { passive: true })
    },
  })),
  ...connectionRefusals.map(({ title, ask, text }) => ({
    title: `${title} ends the connection and says why`,
    async run(scene: Scene) {
      const connection = await scene.connection()
      await assert.rejects(ask(await connection.channel(), scene))
      assert.match(await connection.ended, text)
    },
  })),
  {
    title: 'a wrong password is refused, and the text names no password',
    async run(scene) {
      const url = new URL(scene.url)
      url.password = 'wrong-secret'
      await assert.rejects(scene.kit.open(url.href), (error: Error) => {
        assert.match(error.message, /Login was refused using authentication mechanism PLAIN/)
        assert.doesNotMatch(error.message, /wrong-secret/)
        return true
      })
    },
  },
  {
    title: 'a virtual host that is not there is refused',
    async run(scene) {
      const url = new URL(scene.url)
      url.pathname = '/absent'
      await assert.rejects(scene.kit.open(url.href))
    },
  },
]
