/** rabbitmq-client behind the kit's shape. It reconnects by itself; the kit keeps it from doing so. */
import { type AsyncMessage, type Channel, Connection, type ReturnedMessage, type SyncMessage } from 'rabbitmq-client'
import type { Kit, KitChannel, KitConnection, KitMessage } from './kit.ts'

/** Longer than any test: the first retry never comes. */
const NO_RETRY_MS = 600_000

export const rabbitmqClient: Kit = {
  library: 'rabbitmq-client',
  open: async (url) => {
    const connection = new Connection({ url, noDelay: true, retryLow: NO_RETRY_MS, retryHigh: NO_RETRY_MS })
    const ended = new Promise<string>((resolve) => connection.on('error', (error: Error) => resolve(error.message)))
    const connected = new Promise<void>((resolve) => connection.once('connection', resolve))
    const refusal = await Promise.race([connected, ended])
    if (refusal === undefined) return connectionOf(connection, ended)
    await connection.close()
    throw new Error(refusal)
  },
}

function connectionOf(connection: Connection, ended: Promise<string>): KitConnection {
  const channels: Channel[] = []
  return {
    ended,
    channel: async () => {
      const channel = await connection.acquire({ emitErrorsFromChannel: true })
      channels.push(channel)
      return channelOf(channel)
    },
    close: async () => {
      // The library waits for its channels to be closed.
      await Promise.allSettled(channels.map((channel) => channel.close()))
      await connection.close()
    },
  }
}

function channelOf(channel: Channel): KitChannel {
  const ended = new Promise<string>((resolve) => channel.on('error', (error: Error) => resolve(error.message)))
  return {
    ended,
    declareExchange: (exchange, type, options) => channel.exchangeDeclare({ exchange, type, durable: false, ...options }),
    deleteExchange: (exchange, options) => channel.exchangeDelete({ exchange, ...options }),
    bindExchange: (destination, source, routingKey) => channel.exchangeBind({ destination, source, routingKey }),
    unbindExchange: (destination, source, routingKey) => channel.exchangeUnbind({ destination, source, routingKey }),
    declareQueue: (queue, options) => channel.queueDeclare({ queue, durable: false, ...options }),
    deleteQueue: async (queue, options) => void (await channel.queueDelete({ queue, ...options })),
    purgeQueue: async (queue) => (await channel.queuePurge({ queue })).messageCount,
    bindQueue: (queue, exchange, routingKey) => channel.queueBind({ queue, exchange, routingKey }),
    unbindQueue: (queue, exchange, routingKey) => channel.queueUnbind({ queue, exchange, routingKey }),
    qos: (prefetchCount, isForChannel = false) => channel.basicQos({ prefetchCount, global: isForChannel }),
    consume: async (queue, onMessage, { tag, ...options } = {}) => {
      const params = { queue, ...options, ...(tag !== undefined && { consumerTag: tag }) }
      return (await channel.basicConsume(params, (message) => onMessage(messageOf(message)))).consumerTag
    },
    cancel: async (tag) => void (await channel.basicCancel(tag)),
    onCancelled: (listener) => void channel.on('basic.cancel', listener),
    get: async (queue, options) => {
      const message = await channel.basicGet({ queue, ...options })
      return message === undefined ? undefined : messageOf(message)
    },
    ack: (deliveryTag, multiple = false) => channel.basicAck({ deliveryTag, multiple }),
    nack: (deliveryTag, { multiple = false, requeue = true } = {}) => channel.basicNack({ deliveryTag, multiple, requeue }),
    recover: () => channel.basicRecover({ requeue: true }),
    confirmSelect: () => channel.confirmSelect(),
    publish: (exchange, routingKey, body, options) => channel.basicPublish({ exchange, routingKey, ...options }, Buffer.from(body)),
    onReturned: (listener) => void channel.on('basic.return', (message) => listener(messageOf(message))),
    close: () => channel.close().catch(() => undefined),
  }
}

const messageOf = (message: AsyncMessage | SyncMessage | ReturnedMessage): KitMessage => ({
  // The library decodes text and JSON by content type.
  body: Buffer.isBuffer(message.body) ? message.body : Buffer.from(String(message.body)),
  deliveryTag: 'deliveryTag' in message ? message.deliveryTag : 0,
  redelivered: 'redelivered' in message ? message.redelivered : false,
  exchange: message.exchange,
  routingKey: message.routingKey,
  messageId: message.messageId,
  contentType: message.contentType,
  headers: message.headers ?? {},
})
