/**
 * The receiving side of a channel: consumers, what was delivered and not yet acknowledged, prefetch, `basic.get`.
 */
import { AmqpError } from '../amqp-error.ts'
import type { MethodArgs } from '../codec/methods.ts'
import type { Entry } from '../routing/message.ts'
import { refuseWhatIsNotOffered } from '../routing/offered.ts'
import type { Queue, Taker } from '../routing/queue.ts'
import { serverName } from '../routing/virtual-host.ts'
import type { ChannelLink } from './link.ts'

/** A delivery that waits for its acknowledgement. */
interface Unacked {
  readonly queue: Queue
  readonly entry: Entry
  /** Undefined for `basic.get`. */
  readonly consumer: Consumer | undefined
}

interface Consumer extends Taker {
  readonly tag: string
  readonly queue: Queue
  unackedCount: number
}

export class Subscriptions {
  readonly #link: ChannelLink
  readonly #consumers = new Map<string, Consumer>()
  /** By delivery tag, so in ascending order. */
  readonly #unacked = new Map<number, Unacked>()
  #lastTag = 0
  /** For consumers to come; 0 is no limit. */
  #consumerPrefetch = 0
  /** For all consumers of the channel together; 0 is no limit. */
  #channelPrefetch = 0
  /** Of `#unacked`, those that count against prefetch. */
  #consumerUnackedCount = 0

  constructor(link: ChannelLink) {
    this.#link = link
  }

  get consumerCount(): number {
    return this.#consumers.size
  }

  qos({ prefetchSize, prefetchCount, global }: MethodArgs<'basic.qos'>): void {
    if (prefetchSize !== 0) throw new AmqpError(540, `prefetch_size!=0 (${prefetchSize})`)
    if (global) {
      this.#channelPrefetch = prefetchCount
      this.handOut()
    } else {
      this.#consumerPrefetch = prefetchCount
    }
  }

  consume(asked: MethodArgs<'basic.consume'>, queueName: string): void {
    refuseWhatIsNotOffered(asked.arguments)
    const { virtualHost, owner } = this.#link
    const queue = virtualHost.queue(queueName, owner)
    if (this.#consumers.has(asked.consumerTag)) throw new AmqpError(530, `attempt to reuse consumer tag '${asked.consumerTag}'`)
    if (queue.hasExclusiveConsumer || (asked.exclusive && queue.consumerCount > 0)) {
      throw new AmqpError(403, `queue '${queueName}' in vhost '${virtualHost.name}' in exclusive use`)
    }
    const tag = asked.consumerTag === '' ? serverName('ctag') : asked.consumerTag
    const consumer = this.#consumerOf(tag, queue, asked)
    this.#consumers.set(tag, consumer)
    if (!asked.noWait) this.#link.send('basic.consume-ok', { consumerTag: tag })
    queue.addConsumer(consumer)
    queue.handOut()
  }

  /** What was delivered stays to be acknowledged. Cancelling what is not there succeeds, as in RabbitMQ. */
  cancel({ consumerTag, noWait }: MethodArgs<'basic.cancel'>): void {
    const consumer = this.#consumers.get(consumerTag)
    if (consumer !== undefined) this.#leave(consumer)
    if (!noWait) this.#link.send('basic.cancel-ok', { consumerTag })
  }

  get({ noAck }: MethodArgs<'basic.get'>, queueName: string): void {
    const queue = this.#link.virtualHost.queue(queueName, this.#link.owner)
    const entry = queue.shift()
    if (entry === undefined) {
      this.#link.send('basic.get-empty', { clusterId: '' })
      return
    }
    const { message, redelivered } = entry
    const deliveryTag = ++this.#lastTag
    if (!noAck) this.#unacked.set(deliveryTag, { queue, entry, consumer: undefined })
    const { exchange, routingKey } = message
    const args = { deliveryTag, redelivered, exchange, routingKey, messageCount: queue.messageCount }
    this.#link.sendContent('basic.get-ok', args, message)
  }

  ack({ deliveryTag, multiple }: MethodArgs<'basic.ack'>): void {
    this.#settle(deliveryTag, multiple)
    this.handOut()
  }

  /** Also `basic.reject`, which is a nack of one. */
  nack({ deliveryTag, multiple, requeue }: MethodArgs<'basic.nack'>): void {
    const settled = this.#settle(deliveryTag, multiple)
    if (requeue) requeueAll(settled)
    this.handOut()
  }

  recover({ requeue }: MethodArgs<'basic.recover'>): void {
    if (!requeue) throw new AmqpError(540, 'requeue=false')
    this.#requeueUnacked()
    this.#link.send('basic.recover-ok', {})
  }

  /** Lets the queues of all consumers hand out; called when there may be room again. */
  handOut(): void {
    for (const consumer of this.#consumers.values()) {
      if (consumer.queue.messageCount > 0) consumer.queue.handOut()
    }
  }

  /** Ends all consumers and gives back what was not acknowledged. */
  end(): void {
    // Consumers go first, so that nothing is handed out to this channel again; their queues are only left after the unacked
    // messages are back, so that auto-delete queues go last.
    const consumers = [...this.#consumers.values()]
    this.#consumers.clear()
    for (const consumer of consumers) consumer.queue.removeConsumer(consumer)
    this.#requeueUnacked()
    for (const consumer of consumers) this.#link.virtualHost.consumerLeft(consumer.queue)
  }

  #consumerOf(tag: string, queue: Queue, { noAck, exclusive }: MethodArgs<'basic.consume'>): Consumer {
    const link = this.#link
    const prefetch = this.#consumerPrefetch
    const consumer: Consumer = {
      tag,
      queue,
      exclusive,
      unackedCount: 0,
      canTake: () => {
        if (link.isCongested() || link.faults.withholds(queue.traits.name)) return false
        return noAck || this.#hasRoom(consumer, prefetch)
      },
      take: (entry) => this.#deliver(consumer, entry, noAck),
      queueDeleted: () => {
        this.#consumers.delete(tag)
        if (link.understandsCancel()) link.send('basic.cancel', { consumerTag: tag, noWait: true })
      },
    }
    return consumer
  }

  #hasRoom(consumer: Consumer, prefetch: number): boolean {
    if (prefetch > 0 && consumer.unackedCount >= prefetch) return false
    return this.#channelPrefetch === 0 || this.#consumerUnackedCount < this.#channelPrefetch
  }

  #deliver(consumer: Consumer, entry: Entry, noAck: boolean): void {
    const deliveryTag = ++this.#lastTag
    const { message, redelivered } = entry
    if (!noAck) {
      consumer.unackedCount++
      this.#consumerUnackedCount++
      this.#unacked.set(deliveryTag, { queue: consumer.queue, entry, consumer })
    }
    const { exchange, routingKey } = message
    this.#link.sendContent('basic.deliver', { consumerTag: consumer.tag, deliveryTag, redelivered, exchange, routingKey }, message)
  }

  /** Takes deliveries off the list of the unacknowledged: one, or all up to it; tag 0 with `multiple` is all there are. */
  #settle(deliveryTag: number, multiple: boolean): Unacked[] {
    const isAll = multiple && deliveryTag === 0
    if (!isAll && !this.#unacked.has(deliveryTag)) throw new AmqpError(406, `unknown delivery tag ${deliveryTag}`)
    if (!multiple) return [this.#takeUnacked(deliveryTag)]
    const settled: Unacked[] = []
    for (const tag of this.#unacked.keys()) {
      if (!isAll && tag > deliveryTag) break
      settled.push(this.#takeUnacked(tag))
    }
    return settled
  }

  #takeUnacked(tag: number): Unacked {
    const unacked = this.#unacked.get(tag)!
    this.#unacked.delete(tag)
    if (unacked.consumer !== undefined) {
      unacked.consumer.unackedCount--
      this.#consumerUnackedCount--
    }
    return unacked
  }

  #requeueUnacked(): void {
    requeueAll(this.#settle(0, true))
  }

  #leave(consumer: Consumer): void {
    this.#consumers.delete(consumer.tag)
    consumer.queue.removeConsumer(consumer)
    this.#link.virtualHost.consumerLeft(consumer.queue)
  }
}

function requeueAll(unacked: readonly Unacked[]): void {
  const byQueue = new Map<Queue, Entry[]>()
  for (const { queue, entry } of unacked) {
    const entries = byQueue.get(queue)
    if (entries === undefined) byQueue.set(queue, [entry])
    else entries.push(entry)
  }
  for (const [queue, entries] of byQueue) queue.requeue(entries)
}
