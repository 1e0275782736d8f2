/**
 * An exchange and its bindings: which queues and exchanges a routing key leads to next. It does not follow bindings
 * further and does not keep messages.
 */
import type { Queue } from './queue.ts'
import { topicMatches, topicWords } from './topic.ts'

export const EXCHANGE_TYPES = ['direct', 'fanout', 'topic'] as const
export type ExchangeType = (typeof EXCHANGE_TYPES)[number]

export interface ExchangeTraits {
  readonly name: string
  readonly type: ExchangeType
  readonly durable: boolean
  readonly autoDelete: boolean
  readonly internal: boolean
}

export type Destination = Queue | Exchange

interface Binding {
  readonly destination: Destination
  readonly routingKey: string
  readonly words: readonly string[]
}

export class Exchange {
  readonly traits: ExchangeTraits
  readonly #bindings: Binding[] = []

  constructor(traits: ExchangeTraits) {
    this.traits = traits
  }

  get hasBindings(): boolean {
    return this.#bindings.length > 0
  }

  get bindingCount(): number {
    return this.#bindings.length
  }

  /** Binding twice is binding once. */
  bind(destination: Destination, routingKey: string): void {
    if (this.#indexOf(destination, routingKey) >= 0) return
    this.#bindings.push({ destination, routingKey, words: topicWords(routingKey) })
  }

  /** Whether there was such a binding. */
  unbind(destination: Destination, routingKey: string): boolean {
    const index = this.#indexOf(destination, routingKey)
    if (index < 0) return false
    this.#bindings.splice(index, 1)
    return true
  }

  /** Removes every binding to `destination`; whether there was one. */
  forget(destination: Destination): boolean {
    const kept = this.#bindings.filter((binding) => binding.destination !== destination)
    if (kept.length === this.#bindings.length) return false
    this.#bindings.splice(0, Number.POSITIVE_INFINITY, ...kept)
    return true
  }

  /** Where a routing key leads; a destination bound more than once may be told more than once. */
  destinations(routingKey: string): Destination[] {
    return this.#bindings.filter(this.#test(routingKey)).map((binding) => binding.destination)
  }

  #test(routingKey: string): (binding: Binding) => boolean {
    switch (this.traits.type) {
      case 'fanout':
        return () => true
      case 'direct':
        return (binding) => binding.routingKey === routingKey
      case 'topic': {
        const words = topicWords(routingKey)
        return (binding) => topicMatches(binding.words, words)
      }
    }
  }

  #indexOf(destination: Destination, routingKey: string): number {
    return this.#bindings.findIndex((binding) => binding.destination === destination && binding.routingKey === routingKey)
  }
}
