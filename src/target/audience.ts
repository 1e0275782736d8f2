/**
 * Clients with the same subscriptions form an audience: what it is told is put together once and written to all of them.
 * One audience of 20,000 and 20,000 audiences of one cost what they must and no more.
 */
import type { Client } from './client.ts'
import type { Message } from './message.ts'
import { streamKind, topicOf } from './subscription.ts'

export interface Audience {
  readonly key: string
  readonly topics: ReadonlySet<string>
  readonly clients: Client[]
  /** Broadcast, but not yet written to the clients. */
  pending: Message[]
}

export class Audiences {
  readonly #byKey = new Map<string, Audience>()
  readonly #byTopic = new Map<string, Set<Audience>>()
  /** Every topic that was ever subscribed to: its gauge stays, at zero, as rango's does. */
  readonly #gauged = new Map<string, { type: string; topic: string }>()

  /** Puts the client among those with the same streams; no streams, no audience. */
  join(client: Client): void {
    if (client.streams.length === 0) return
    const topics = client.streams.map((stream) => topicOf(stream, client.uid))
    const key = topics.join()
    const audience = this.#byKey.get(key) ?? this.#create(key, topics, client)
    client.audience = audience
    client.slot = audience.clients.length
    audience.clients.push(client)
  }

  /** The last client takes the place of the one that leaves. */
  leave(client: Client): void {
    const { audience } = client
    if (audience === undefined) return
    client.audience = undefined
    const last = audience.clients.pop() as Client
    if (last !== client) {
      audience.clients[client.slot] = last
      last.slot = client.slot
    }
    if (audience.clients.length === 0) this.#remove(audience)
  }

  of(topic: string): ReadonlySet<Audience> | undefined {
    return this.#byTopic.get(topic)
  }

  /** Subscribers by topic, zeros included. */
  *counts(): Generator<{ type: string; topic: string; count: number }> {
    for (const [topic, labels] of this.#gauged) {
      let count = 0
      for (const audience of this.#byTopic.get(topic) ?? []) count += audience.clients.length
      yield { ...labels, count }
    }
  }

  #create(key: string, topics: readonly string[], client: Client): Audience {
    const audience: Audience = { key, topics: new Set(topics), clients: [], pending: [] }
    this.#byKey.set(key, audience)
    topics.forEach((topic, index) => {
      const those = this.#byTopic.get(topic) ?? new Set()
      this.#byTopic.set(topic, those.add(audience))
      const stream = client.streams[index] as string
      if (!this.#gauged.has(topic)) this.#gauged.set(topic, { type: streamKind(stream), topic: stream })
    })
    return audience
  }

  #remove(audience: Audience): void {
    this.#byKey.delete(audience.key)
    for (const topic of audience.topics) {
      const those = this.#byTopic.get(topic)
      those?.delete(audience)
      if (those?.size === 0) this.#byTopic.delete(topic)
    }
  }
}
