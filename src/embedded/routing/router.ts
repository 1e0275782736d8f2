/**
 * Follows bindings from an exchange to queues, through other exchanges, each queue once. Answers are remembered until the
 * topology changes, because publishers use few routing keys again and again.
 */
import { type Destination, Exchange } from './exchange.ts'
import type { Queue } from './queue.ts'

/** Past this many remembered answers all are forgotten: somebody publishes to ever new keys. */
const MAX_REMEMBERED = 10_000

export class Router {
  readonly #remembered = new Map<Exchange, Map<string, readonly Queue[]>>()
  #rememberedCount = 0

  queuesFor(exchange: Exchange, routingKey: string): readonly Queue[] {
    const known = this.#remembered.get(exchange)?.get(routingKey)
    return known ?? this.#remember(exchange, routingKey, follow(exchange, routingKey))
  }

  /** To be called after every change of exchanges, queues or bindings. */
  topologyChanged(): void {
    this.#remembered.clear()
    this.#rememberedCount = 0
  }

  #remember(exchange: Exchange, routingKey: string, queues: readonly Queue[]): readonly Queue[] {
    if (this.#rememberedCount >= MAX_REMEMBERED) this.topologyChanged()
    let ofExchange = this.#remembered.get(exchange)
    if (ofExchange === undefined) {
      ofExchange = new Map()
      this.#remembered.set(exchange, ofExchange)
    }
    ofExchange.set(routingKey, queues)
    this.#rememberedCount++
    return queues
  }
}

/** Every queue that bindings lead to; exchanges bound in a circle are visited once. */
function follow(first: Exchange, routingKey: string): readonly Queue[] {
  const seen = new Set<Destination>([first])
  const open: Exchange[] = [first]
  const queues: Queue[] = []
  for (let exchange = open.pop(); exchange !== undefined; exchange = open.pop()) {
    for (const destination of exchange.destinations(routingKey)) {
      if (seen.has(destination)) continue
      seen.add(destination)
      if (destination instanceof Exchange) open.push(destination)
      else queues.push(destination)
    }
  }
  return queues
}
