/** @cloudamqp/amqp-client behind the kit's shape. */
import { type AMQPChannel, AMQPClient, type AMQPMessage } from '@cloudamqp/amqp-client'
import type { Kit, KitChannel, KitConnection, KitMessage } from './kit.ts'

export const cloudamqp: Kit = {
  library: '@cloudamqp/amqp-client',
  open: async (url) => {
    const client = new AMQPClient(url, undefined, null)
    const ended = new Promise<string>((resolve) => {
      client.onerror = (error) => resolve(error.message)
    })
    await client.connect()
    return connectionOf(client, ended)
  },
}

function connectionOf(client: AMQPClient, ended: Promise<string>): KitConnection {
  return {
    ended,
    channel: async () => channelOf((await client.channel()) as AMQPChannel),
    close: () => client.close().catch(() => undefined),
  }
}

function channelOf(channel: AMQPChannel): KitChannel {
  let cancelled = (): void => undefined
  const ended = new Promise<string>((resolve) => {
    channel.onerror = resolve
  })
  return {
    ended,
    declareExchange: (name, type, options) => channel.exchangeDeclare(name, type, { durable: false, ...options }),
    deleteExchange: (name, options) => channel.exchangeDelete(name, options),
    bindExchange: (destination, source, key) => channel.exchangeBind(destination, source, key),
    unbindExchange: (destination, source, key) => channel.exchangeUnbind(destination, source, key),
    declareQueue: async (name, options) => {
      // The library names server-named queues exclusive and auto-delete unless told otherwise.
      const answer = await channel.queueDeclare(name, { durable: false, exclusive: false, autoDelete: false, ...options })
      return { queue: answer.name, messageCount: answer.messageCount, consumerCount: answer.consumerCount }
    },
    deleteQueue: async (name, options) => void (await channel.queueDelete(name, options)),
    purgeQueue: async (name) => (await channel.queuePurge(name)).messageCount,
    bindQueue: (queue, exchange, key) => channel.queueBind(queue, exchange, key),
    unbindQueue: (queue, exchange, key) => channel.queueUnbind(queue, exchange, key),
    qos: (count, isForChannel) => channel.basicQos(count, 0, isForChannel),
    consume: async (queue, onMessage, { noAck = false, ...options } = {}) => {
      const consumer = await channel.basicConsume(queue, { noAck, ...options }, (message) => onMessage(messageOf(message)))
      // The only sign of a cancel from the broker.
      consumer.wait().catch(() => cancelled())
      return consumer.tag
    },
    cancel: async (tag) => void (await channel.basicCancel(tag)),
    onCancelled: (listener) => {
      cancelled = listener
    },
    get: async (queue, { noAck = false } = {}) => {
      const message = await channel.basicGet(queue, { noAck })
      return message === null ? undefined : messageOf(message)
    },
    ack: (deliveryTag, multiple) => void channel.basicAck(deliveryTag, multiple),
    nack: (deliveryTag, { multiple = false, requeue = true } = {}) => void channel.basicNack(deliveryTag, requeue, multiple),
    recover: () => channel.basicRecover(true),
    confirmSelect: () => channel.confirmSelect(),
    publish: async (exchange, key, body, { mandatory = false, ...properties } = {}) =>
      void (await channel.basicPublish(exchange, key, Buffer.from(body), properties, mandatory)),
    onReturned: (listener) => {
      channel.onReturn = (message) => listener(messageOf(message))
    },
    close: () => channel.close().catch(() => undefined),
  }
}

const messageOf = (message: AMQPMessage): KitMessage => ({
  body: Buffer.from(message.body ?? []),
  deliveryTag: message.deliveryTag,
  redelivered: message.redelivered,
  exchange: message.exchange,
  routingKey: message.routingKey,
  messageId: message.properties.messageId,
  contentType: message.properties.contentType,
  headers: message.properties.headers ?? {},
})
