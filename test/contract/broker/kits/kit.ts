/**
 * What the broker contract needs of a client library, in one shape for all of them. A kit adds no behaviour: what the library
 * does is what the broker is judged by. Errors reach the caller with whatever text the library made of the broker's.
 */

export interface Kit {
  readonly library: string
  /** Rejects when the broker refuses. */
  open(url: string): Promise<KitConnection>
}

export interface KitConnection {
  channel(): Promise<KitChannel>
  /** Resolves with the library's text when the broker ends the connection with an error. */
  readonly ended: Promise<string>
  close(): Promise<void>
}

export interface ExchangeOptions {
  readonly passive?: boolean
  readonly durable?: boolean
  readonly autoDelete?: boolean
  readonly internal?: boolean
}

export interface QueueOptions {
  readonly passive?: boolean
  readonly durable?: boolean
  readonly exclusive?: boolean
  readonly autoDelete?: boolean
}

export interface ConsumeOptions {
  readonly noAck?: boolean
  readonly exclusive?: boolean
  readonly tag?: string
}

export interface PublishOptions {
  readonly mandatory?: boolean
  readonly messageId?: string
  readonly contentType?: string
  readonly userId?: string
  readonly headers?: Readonly<Record<string, string | number | boolean>>
}

export interface KitMessage {
  readonly body: Buffer
  /** 0 for a returned message. */
  readonly deliveryTag: number
  readonly redelivered: boolean
  readonly exchange: string
  readonly routingKey: string
  readonly messageId: string | undefined
  readonly contentType: string | undefined
  readonly headers: Readonly<Record<string, unknown>>
}

export interface QueueAnswer {
  readonly queue: string
  readonly messageCount: number
  readonly consumerCount: number
}

export interface KitChannel {
  /** Resolves with the library's text when the broker ends the channel while nothing is asked of it. */
  readonly ended: Promise<string>
  declareExchange(name: string, type: string, options?: ExchangeOptions): Promise<void>
  deleteExchange(name: string, options?: { ifUnused?: boolean }): Promise<void>
  bindExchange(destination: string, source: string, routingKey: string): Promise<void>
  unbindExchange(destination: string, source: string, routingKey: string): Promise<void>
  declareQueue(name: string, options?: QueueOptions): Promise<QueueAnswer>
  deleteQueue(name: string, options?: { ifUnused?: boolean; ifEmpty?: boolean }): Promise<void>
  purgeQueue(name: string): Promise<number>
  bindQueue(queue: string, exchange: string, routingKey: string): Promise<void>
  unbindQueue(queue: string, exchange: string, routingKey: string): Promise<void>
  qos(prefetchCount: number, isForChannel?: boolean): Promise<void>
  /** The consumer's tag. */
  consume(queue: string, onMessage: (message: KitMessage) => void, options?: ConsumeOptions): Promise<string>
  cancel(tag: string): Promise<void>
  /** `onCancelled` is called when the broker cancels a consumer. */
  onCancelled(listener: () => void): void
  get(queue: string, options?: { noAck?: boolean }): Promise<KitMessage | undefined>
  ack(deliveryTag: number, multiple?: boolean): void
  nack(deliveryTag: number, options?: { multiple?: boolean; requeue?: boolean }): void
  recover(): Promise<void>
  confirmSelect(): Promise<void>
  /** Settles when the broker confirms or nacks; after `confirmSelect` only. */
  publish(exchange: string, routingKey: string, body: Buffer | string, options?: PublishOptions): Promise<void>
  onReturned(listener: (message: KitMessage) => void): void
  close(): Promise<void>
}
