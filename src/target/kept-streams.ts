/**
 * rango's snapshots and increments: a `-snap` message is kept and not broadcast; a `-inc` message is broadcast, and kept, only
 * once its snapshot was seen; a new subscriber of the increments hears snapshot and increments before its acknowledgement.
 */
import type { Message } from './message.ts'

const SNAPSHOT = /-snap$/
const INCREMENT = /-inc$/

/** What becomes of a message: everybody hears it, it is only kept, or nobody ever hears it. */
export type Fate = 'broadcast' | 'keep' | 'ignore'

export class KeptStreams {
  /** By the topic of the increments: the snapshot, then all increments since. */
  readonly #kept = new Map<string, Message[]>()

  fateOf(topic: string): Fate {
    if (SNAPSHOT.test(topic)) return 'keep'
    return INCREMENT.test(topic) && !this.#kept.has(topic) ? 'ignore' : 'broadcast'
  }

  /** Keeps the message when it is a snapshot or an increment; a snapshot takes the place of all before it. */
  take(message: Message): void {
    const { topic } = message.broadcast
    if (SNAPSHOT.test(topic)) this.#kept.set(topic.replace(SNAPSHOT, '-inc'), [message])
    else if (INCREMENT.test(topic)) this.#kept.get(topic)?.push(message)
  }

  /** What a new subscriber of this topic hears first. */
  historyOf(topic: string): readonly Message[] {
    return this.#kept.get(topic) ?? []
  }
}
