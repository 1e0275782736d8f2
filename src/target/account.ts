/**
 * One client's side of the truth: what was written to it, in order, and how much of that it has surely received. A client
 * without habits follows the broadcast log from one position to another; only for one that is treated specially is every
 * write listed. Knows neither sockets nor habits.
 */
import type { Broadcast, BroadcastLog } from './broadcast-log.ts'
import { appendSequence, expandRanges, removeLast, type SequenceRange } from './sequence-range.ts'

/** Everything these topics got between two positions; `until` is undefined while the client still follows. */
interface Followed {
  readonly topics: ReadonlySet<string>
  readonly from: number
  until: number | undefined
}

/** Single writes: their positions in the log, in the order they were written. */
interface Listed {
  readonly writes: SequenceRange[]
}

/** How a connection ended. */
export type EndingKind =
  | 'closed-by-client'
  | 'closed-by-target'
  | 'cut-by-target'
  | 'reset-by-target'
  | 'slow-client'
  | 'pong-overdue'
  | 'write-overdue'
  | 'protocol-error'
  | 'connection-lost'

export interface Ending {
  readonly kind: EndingKind
  readonly atUs: number
  /** The close code the target sent or, when it sent none, received. */
  readonly code: number | undefined
  /** Whether the client proved that it had read everything: both close frames, or its end of the stream after ours. */
  readonly isOrderly: boolean
}

/** A point in a client's writes; everything before it is acknowledged once the ping sent there is answered. */
export interface Mark {
  readonly position: number
  readonly listedWrites: number
}

export class Account {
  readonly client: number
  readonly remoteAddress: string
  readonly remotePort: number
  /** Of the request line, without a query. */
  readonly path: string
  readonly openedUs: number
  /** When the first acknowledgement of a subscription was written. */
  acknowledgedUs: number | undefined
  ending: Ending | undefined
  #listedWrites = 0
  #acknowledged: Mark = { position: 0, listedWrites: 0 }
  readonly #parts: (Followed | Listed)[] = []

  constructor(client: { number: number; remoteAddress: string; remotePort: number; path: string; openedUs: number }) {
    this.client = client.number
    this.remoteAddress = client.remoteAddress
    this.remotePort = client.remotePort
    this.path = client.path
    this.openedUs = client.openedUs
  }

  /** From this position on the client gets everything these topics get. */
  follow(topics: ReadonlySet<string>, position: number): void {
    this.#parts.push({ topics, from: position, until: undefined })
  }

  stopFollowing(position: number): void {
    const last = this.#parts.at(-1)
    if (last !== undefined && 'from' in last) last.until ??= position
  }

  /** One write to a client that is treated specially. */
  list(broadcast: Broadcast): void {
    const last = this.#parts.at(-1)
    const part = last !== undefined && 'writes' in last ? last : { writes: [] }
    if (part !== last) this.#parts.push(part)
    appendSequence(part.writes, broadcast.position)
    this.#listedWrites += 1
  }

  /** Takes back the last `count` writes: they waited in the target and never reached the kernel. */
  unwrite(count: number, log: BroadcastLog): void {
    let left = count
    while (left > 0) {
      const last = this.#parts.at(-1)
      if (last === undefined) return
      if ('writes' in last) {
        const removed = removeLast(last.writes, left)
        this.#listedWrites -= removed
        left -= removed
      } else left = unfollow(last, left, log)
      if (left > 0) this.#parts.pop()
    }
  }

  mark(log: BroadcastLog): Mark {
    return { position: log.length, listedWrites: this.#listedWrites }
  }

  acknowledge(mark: Mark): void {
    this.#acknowledged = mark
  }

  /** Every write in order, and whether the client surely received it. */
  *written(log: BroadcastLog): Generator<{ broadcast: Broadcast; isAcknowledged: boolean }> {
    const isOrderly = this.ending?.isOrderly === true
    let listedWrites = 0
    for (const part of this.#parts) {
      if ('writes' in part) {
        for (const position of expandRanges(part.writes)) {
          const broadcast = log.entries[position]
          if (broadcast !== undefined) yield { broadcast, isAcknowledged: isOrderly || listedWrites < this.#acknowledged.listedWrites }
          listedWrites += 1
        }
        continue
      }
      for (const broadcast of log.between(part.topics, part.from, part.until ?? log.length)) {
        yield { broadcast, isAcknowledged: isOrderly || broadcast.position < this.#acknowledged.position }
      }
    }
  }
}

/** Moves the end of a followed part back over `count` entries; returns how many it could not take. */
function unfollow(part: Followed, count: number, log: BroadcastLog): number {
  const followed = [...log.between(part.topics, part.from, part.until ?? log.length)]
  const first = followed.at(-count)
  part.until = followed.length < count ? part.from : (first?.position ?? part.until)
  return Math.max(0, count - followed.length)
}
