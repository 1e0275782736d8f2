/**
 * The exchanges, queues and bindings of one virtual host, and the rules about them: who may declare, use and delete what,
 * and what goes when something it hangs on goes. Refusals are RabbitMQ's, word for word. It knows no connections (an owner is
 * any object) and no wire.
 */
import { randomBytes } from 'node:crypto'
import { AmqpError } from '../amqp-error.ts'
import type { MethodArgs } from '../codec/methods.ts'
import { expectEqualExchange, expectEqualQueue } from './equivalence.ts'
import { type Destination, EXCHANGE_TYPES, Exchange, type ExchangeType } from './exchange.ts'
import { refuseWhatIsNotOffered } from './offered.ts'
import { Queue } from './queue.ts'
import { Router } from './router.ts'

type Asked<Name extends 'exchange.declare' | 'queue.declare'> = MethodArgs<Name>

const RESERVED_PREFIX = 'amq.'
const PREDECLARED: readonly (readonly [name: string, type: ExchangeType])[] = [
  ['', 'direct'],
  ['amq.direct', 'direct'],
  ['amq.fanout', 'fanout'],
  ['amq.topic', 'topic'],
]

export class VirtualHost {
  readonly name: string
  readonly #exchanges = new Map<string, Exchange>()
  readonly #queues = new Map<string, Queue>()
  readonly #router = new Router()

  constructor(name: string) {
    this.name = name
    for (const [exchange, type] of PREDECLARED) {
      this.#exchanges.set(exchange, new Exchange({ name: exchange, type, durable: true, autoDelete: false, internal: false }))
    }
  }

  get exchanges(): Iterable<Exchange> {
    return this.#exchanges.values()
  }

  get queues(): Iterable<Queue> {
    return this.#queues.values()
  }

  exchange(name: string): Exchange {
    const exchange = this.#exchanges.get(name)
    if (exchange === undefined) throw new AmqpError(404, `no ${this.#exchangeText(name)}`)
    return exchange
  }

  /** The queue of that name, if `user` may use it. */
  queue(name: string, user: object): Queue {
    const queue = this.#queues.get(name)
    if (queue === undefined) throw new AmqpError(404, `no ${this.#queueText(name)}`)
    if (queue.traits.owner !== undefined && queue.traits.owner !== user) throw this.#locked(name)
    return queue
  }

  /** Where a message goes; the default exchange leads to the queue named by the routing key. */
  route(exchangeName: string, routingKey: string): readonly Queue[] {
    if (exchangeName === '') {
      const queue = this.#queues.get(routingKey)
      return queue === undefined ? [] : [queue]
    }
    const exchange = this.exchange(exchangeName)
    if (exchange.traits.internal) throw new AmqpError(403, `cannot publish to internal ${this.#exchangeText(exchangeName)}`)
    return this.#router.queuesFor(exchange, routingKey)
  }

  declareExchange(asked: Asked<'exchange.declare'>): void {
    this.#refuseDefault(asked.exchange)
    if (asked.passive) {
      this.exchange(asked.exchange)
      return
    }
    refuseWhatIsNotOffered(asked.arguments)
    const { exchange: name, durable, autoDelete, internal } = asked
    const wanted = { name, type: exchangeType(asked.type), durable, autoDelete, internal }
    const existing = this.#exchanges.get(name)
    if (existing !== undefined) {
      expectEqualExchange(existing.traits, wanted, this.#exchangeText(name))
      return
    }
    if (name.startsWith(RESERVED_PREFIX)) throw new AmqpError(403, `exchange name '${name}' contains reserved prefix '${RESERVED_PREFIX}*'`)
    this.#exchanges.set(name, new Exchange(wanted))
  }

  /** Deleting what is not there succeeds, as in RabbitMQ. */
  deleteExchange(name: string, ifUnused: boolean): void {
    this.#refuseDefault(name)
    if (name.startsWith(RESERVED_PREFIX)) throw new AmqpError(403, `deletion of system ${this.#exchangeText(name)} not allowed`)
    const exchange = this.#exchanges.get(name)
    if (exchange === undefined) return
    if (ifUnused && exchange.hasBindings) throw new AmqpError(406, `${this.#exchangeText(name)} in use`)
    this.#dropExchange(exchange)
  }

  /** The queue declared or found; an empty name asks for one of the server's making. */
  declareQueue(asked: Asked<'queue.declare'>, user: object): Queue {
    if (asked.passive) return this.queue(asked.queue, user)
    refuseWhatIsNotOffered(asked.arguments)
    const existing = this.#queues.get(asked.queue)
    if (existing !== undefined) {
      if (existing.traits.owner !== (asked.exclusive ? user : undefined)) throw this.#locked(asked.queue)
      expectEqualQueue(existing.traits, asked, this.#queueText(asked.queue))
      return existing
    }
    if (asked.queue.startsWith(RESERVED_PREFIX)) {
      throw new AmqpError(403, `queue name '${asked.queue}' contains reserved prefix '${RESERVED_PREFIX}*'`)
    }
    const name = asked.queue === '' ? serverName('gen') : asked.queue
    const { durable, autoDelete } = asked
    const queue = new Queue({ name, durable, autoDelete, owner: asked.exclusive ? user : undefined })
    this.#queues.set(name, queue)
    this.#router.topologyChanged()
    return queue
  }

  /** How many messages went with it; deleting what is not there succeeds, as in RabbitMQ. */
  deleteQueue(name: string, conditions: { ifUnused: boolean; ifEmpty: boolean }, user: object): number {
    if (!this.#queues.has(name)) return 0
    const queue = this.queue(name, user)
    if (conditions.ifUnused && queue.consumerCount > 0) throw new AmqpError(406, `${this.#queueText(name)} in use`)
    if (conditions.ifEmpty && queue.messageCount > 0) throw new AmqpError(406, `${this.#queueText(name)} not empty`)
    return this.#dropQueue(queue)
  }

  bind(sourceName: string, destination: Destination, routingKey: string): void {
    this.#refuseDefault(sourceName)
    this.exchange(sourceName).bind(destination, routingKey)
    this.#router.topologyChanged()
  }

  /** Removing a binding that is not there, or from an exchange that is not there, succeeds, as in RabbitMQ. */
  unbind(sourceName: string, destination: Destination, routingKey: string): void {
    this.#refuseDefault(sourceName)
    const source = this.#exchanges.get(sourceName)
    if (source?.unbind(destination, routingKey)) this.#bindingsRemoved(source)
  }

  exchangeIfAny(name: string): Exchange | undefined {
    return this.#exchanges.get(name)
  }

  queueIfAny(name: string, user: object): Queue | undefined {
    return this.#queues.has(name) ? this.queue(name, user) : undefined
  }

  hasQueue(name: string): boolean {
    return this.#queues.has(name)
  }

  /** Deletes an exchange whatever it is and whoever uses it. */
  removeExchange(name: string): void {
    const exchange = this.#exchanges.get(name)
    if (exchange !== undefined) this.#dropExchange(exchange)
  }

  /** Deletes a queue whoever it belongs to; how many messages went with it. */
  removeQueue(name: string): number {
    const queue = this.#queues.get(name)
    return queue === undefined ? 0 : this.#dropQueue(queue)
  }

  /** To be called when a consumer has left `queue`: the last one takes an auto-delete queue along. */
  consumerLeft(queue: Queue): void {
    const isKnown = this.#queues.get(queue.traits.name) === queue
    if (isKnown && queue.traits.autoDelete && queue.consumerCount === 0) this.#dropQueue(queue)
  }

  /** Deletes the exclusive queues of a connection that has ended. */
  ownerLeft(owner: object): void {
    for (const queue of this.#queues.values()) {
      if (queue.traits.owner === owner) this.#dropQueue(queue)
    }
  }

  #dropExchange(exchange: Exchange): void {
    this.#exchanges.delete(exchange.traits.name)
    this.#forget(exchange)
  }

  #dropQueue(queue: Queue): number {
    const messageCount = queue.messageCount
    this.#queues.delete(queue.traits.name)
    this.#forget(queue)
    queue.delete()
    return messageCount
  }

  #forget(destination: Destination): void {
    this.#router.topologyChanged()
    for (const exchange of [...this.#exchanges.values()]) {
      if (exchange.forget(destination)) this.#bindingsRemoved(exchange)
    }
  }

  /** The last binding takes an auto-delete exchange along. */
  #bindingsRemoved(source: Exchange): void {
    this.#router.topologyChanged()
    if (source.traits.autoDelete && !source.hasBindings) this.#dropExchange(source)
  }

  #refuseDefault(exchangeName: string): void {
    if (exchangeName === '') throw new AmqpError(403, 'operation not permitted on the default exchange')
  }

  #locked(queueName: string): AmqpError {
    return new AmqpError(
      405,
      `cannot obtain exclusive access to locked ${this.#queueText(queueName)}. It could be originally declared on another connection or ` +
        'the exclusive property value does not match that of the original declaration.',
    )
  }

  #exchangeText(name: string): string {
    return `exchange '${name}' in vhost '${this.name}'`
  }

  #queueText(name: string): string {
    return `queue '${name}' in vhost '${this.name}'`
  }
}

/** `amq.gen-…` and `amq.ctag-…`: names of the server's making, unguessable as RabbitMQ's are. */
export const serverName = (kind: 'gen' | 'ctag'): string => `${RESERVED_PREFIX}${kind}-${randomBytes(16).toString('base64url')}`

function exchangeType(asked: string): ExchangeType {
  const type = EXCHANGE_TYPES.find((known) => known === asked)
  if (type !== undefined) return type
  if (asked === 'headers') throw new AmqpError(540, "exchange type 'headers' is not offered by this broker")
  throw new AmqpError(503, `unknown exchange type '${asked}'`)
}
