/** amqplib behind the kit's shape. */
import { type ChannelModel, type ConfirmChannel, type ConsumeMessage, connect, type GetMessage, type Message, type Options } from 'amqplib'
import type { Kit, KitChannel, KitConnection, KitMessage } from './kit.ts'

export const amqplib: Kit = {
  library: 'amqplib',
  open: async (url) => connectionOf(await connect(url, { noDelay: true })),
}

function connectionOf(connection: ChannelModel): KitConnection {
  const ended = new Promise<string>((resolve) => connection.on('error', (error: Error) => resolve(error.message)))
  return {
    ended,
    channel: async () => channelOf(await connection.createConfirmChannel()),
    // A connection that the broker has closed throws here; it is closed all the same.
    close: () => connection.close().catch(() => undefined),
  }
}

function channelOf(channel: ConfirmChannel): KitChannel {
  // Confirm callbacks only hear that the channel was closed; why is said by the error event, in the same pass.
  const why = new Promise<Error>((resolve) => channel.on('error', resolve))
  let cancelled = (): void => undefined
  return {
    ended: why.then((error) => error.message),
    declareExchange: async (name, type, { passive, ...options } = {}) => {
      if (passive) await channel.checkExchange(name)
      else await channel.assertExchange(name, type, { durable: false, ...options })
    },
    deleteExchange: async (name, options) => void (await channel.deleteExchange(name, options)),
    bindExchange: async (destination, source, key) => void (await channel.bindExchange(destination, source, key)),
    unbindExchange: async (destination, source, key) => void (await channel.unbindExchange(destination, source, key)),
    declareQueue: (name, { passive, ...options } = {}) =>
      passive ? channel.checkQueue(name) : channel.assertQueue(name, { durable: false, ...options }),
    deleteQueue: async (name, options) => void (await channel.deleteQueue(name, options)),
    purgeQueue: async (name) => (await channel.purgeQueue(name)).messageCount,
    bindQueue: async (queue, exchange, key) => void (await channel.bindQueue(queue, exchange, key)),
    unbindQueue: async (queue, exchange, key) => void (await channel.unbindQueue(queue, exchange, key)),
    qos: async (count, isForChannel) => void (await channel.prefetch(count, isForChannel)),
    consume: async (queue, onMessage, { tag, ...options } = {}) => {
      const consumeOptions: Options.Consume = tag === undefined ? options : { ...options, consumerTag: tag }
      const onEach = (message: ConsumeMessage | null) => (message === null ? cancelled() : onMessage(messageOf(message)))
      return (await channel.consume(queue, onEach, consumeOptions)).consumerTag
    },
    cancel: async (tag) => void (await channel.cancel(tag)),
    onCancelled: (listener) => {
      cancelled = listener
    },
    get: async (queue, options) => {
      const message = await channel.get(queue, options)
      return message === false ? undefined : messageOf(message)
    },
    ack: (deliveryTag, multiple) => channel.ack(withTag(deliveryTag), multiple),
    nack: (deliveryTag, { multiple = false, requeue = true } = {}) => channel.nack(withTag(deliveryTag), multiple, requeue),
    recover: async () => void (await channel.recover()),
    confirmSelect: async () => undefined,
    publish: (exchange, key, body, options) =>
      new Promise((resolve, reject) => {
        channel.publish(exchange, key, Buffer.from(body), options, (error) => {
          if (!error) resolve()
          else if (/closed/.test(error.message)) void why.then(reject)
          else reject(error)
        })
      }),
    onReturned: (listener) => void channel.on('return', (message: Message) => listener(messageOf(message))),
    close: () => channel.close().catch(() => undefined),
  }
}

/** amqplib takes whole messages and looks only at the tag. */
const withTag = (deliveryTag: number): Message => ({ fields: { deliveryTag } }) as Message

const messageOf = ({ content, fields, properties }: ConsumeMessage | GetMessage | Message): KitMessage => ({
  body: content,
  deliveryTag: fields.deliveryTag ?? 0,
  redelivered: fields.redelivered ?? false,
  exchange: fields.exchange,
  routingKey: fields.routingKey,
  messageId: properties.messageId,
  contentType: properties.contentType,
  headers: properties.headers ?? {},
})
