/**
 * The methods of a channel that change or look at the topology, answered unless the client asked for no answer. It keeps one
 * thing of its own: the queue declared last, which an empty queue name stands for.
 */
import { AmqpError } from '../amqp-error.ts'
import type { Method, MethodArgs, MethodName } from '../codec/methods.ts'
import type { ChannelLink } from './link.ts'

/** Methods this file answers. */
export type Declaration = Extract<Method, { name: `exchange.${string}` | `queue.${string}` }>

export class Declarations {
  readonly #link: ChannelLink
  #lastQueue: string | undefined

  constructor(link: ChannelLink) {
    this.#link = link
  }

  /** The queue a method means. */
  queueName(asked: string): string {
    if (asked !== '') return asked
    if (this.#lastQueue === undefined) throw new AmqpError(404, 'no previously declared queue')
    return this.#lastQueue
  }

  carryOut(method: Declaration): void {
    const { virtualHost, owner } = this.#link
    switch (method.name) {
      case 'exchange.declare':
        virtualHost.declareExchange(method.args)
        this.#answer(method.args.noWait, 'exchange.declare-ok', {})
        break
      case 'exchange.delete':
        virtualHost.deleteExchange(method.args.exchange, method.args.ifUnused)
        this.#answer(method.args.noWait, 'exchange.delete-ok', {})
        break
      case 'exchange.bind':
        virtualHost.bind(method.args.source, virtualHost.exchange(method.args.destination), method.args.routingKey)
        this.#answer(method.args.noWait, 'exchange.bind-ok', {})
        break
      case 'exchange.unbind': {
        const destination = virtualHost.exchangeIfAny(method.args.destination)
        if (destination !== undefined) virtualHost.unbind(method.args.source, destination, method.args.routingKey)
        this.#answer(method.args.noWait, 'exchange.unbind-ok', {})
        break
      }
      case 'queue.declare':
        this.#declareQueue(method.args)
        break
      case 'queue.bind': {
        const queue = virtualHost.queue(this.queueName(method.args.queue), owner)
        virtualHost.bind(method.args.exchange, queue, method.args.routingKey)
        this.#answer(method.args.noWait, 'queue.bind-ok', {})
        break
      }
      case 'queue.unbind': {
        const queue = virtualHost.queueIfAny(this.queueName(method.args.queue), owner)
        if (queue !== undefined) virtualHost.unbind(method.args.exchange, queue, method.args.routingKey)
        this.#answer(false, 'queue.unbind-ok', {})
        break
      }
      case 'queue.purge': {
        const messageCount = virtualHost.queue(this.queueName(method.args.queue), owner).purge()
        this.#answer(method.args.noWait, 'queue.purge-ok', { messageCount })
        break
      }
      case 'queue.delete': {
        const messageCount = virtualHost.deleteQueue(this.queueName(method.args.queue), method.args, owner)
        this.#answer(method.args.noWait, 'queue.delete-ok', { messageCount })
        break
      }
      default:
        // The answers, which only a server sends.
        throw new AmqpError(503, 'unimplemented method')
    }
  }

  #declareQueue(asked: MethodArgs<'queue.declare'>): void {
    const queue = this.#link.virtualHost.declareQueue(asked, this.#link.owner)
    this.#lastQueue = queue.traits.name
    const { messageCount, consumerCount } = queue
    this.#answer(asked.noWait, 'queue.declare-ok', { queue: queue.traits.name, messageCount, consumerCount })
  }

  #answer<Name extends MethodName>(noWait: boolean, name: Name, args: MethodArgs<Name>): void {
    if (!noWait) this.#link.send(name, args)
  }
}
