/**
 * Pings, and cuts whoever does not answer: a ping every 54 s, 60 s to answer, 10 s for a write to get on, as in rango. One
 * timer looks at all clients; a timer each would cost more than the clients.
 */
import type { Client } from './client.ts'
import { pingFrame } from './frame.ts'
import type { Gate } from './gate.ts'
import type { HabitBook } from './habits/habit-book.ts'
import type { Members } from './members.ts'
import type { Outbox } from './outbox.ts'
import type { Truth } from './truth.ts'

const PING_EVERY_MS = 54_000
const PONG_WITHIN_MS = 60_000
const WRITE_WITHIN_MS = 10_000
const LOOK_EVERY_MS = 1_000
/** How many times a demanded pong's period is looked at, so that a cut comes about when it was asked for. */
const LOOKS_PER_PERIOD = 4
const SHORTEST_LOOK_MS = 5

export interface KeepaliveParts {
  readonly members: Members
  readonly outbox: Outbox
  readonly book: HabitBook
  readonly gate: Gate
  readonly truth: Truth
}

export class Keepalive {
  readonly #parts: KeepaliveParts
  #timer: NodeJS.Timeout | undefined

  constructor(parts: KeepaliveParts) {
    this.#parts = parts
  }

  /** Starts, or starts again because habits have changed. */
  start(): void {
    this.stop()
    const periods = this.#parts.book.habits.flatMap((habit) => (habit.kind === 'demand-pong' ? [habit.everyMs, habit.withinMs] : []))
    const lookEveryMs = Math.max(SHORTEST_LOOK_MS, Math.min(LOOK_EVERY_MS, ...periods.map((ms) => ms / LOOKS_PER_PERIOD)))
    this.#timer = setInterval(() => this.#look(periods.length > 0), lookEveryMs)
  }

  stop(): void {
    clearInterval(this.#timer)
  }

  #look(mayDemand: boolean): void {
    if (this.#parts.gate.isFrozen) return
    const nowMs = performance.now()
    for (const client of this.#parts.members.clients) {
      if (client.leaving === undefined) this.#lookAt(client, nowMs, mayDemand)
    }
  }

  #lookAt(client: Client, nowMs: number, mayDemand: boolean): void {
    const { members, book, truth } = this.#parts
    const demand = mayDemand ? book.liveness('demand-pong', client.number) : undefined
    if (nowMs - client.lastPongMs > (demand?.withinMs ?? PONG_WITHIN_MS)) {
      truth.note('pong-overdue', client.account, { silentMs: Math.round(nowMs - client.lastPongMs) })
      members.part(client, { kind: 'pong-overdue', how: 'destroy' })
    } else if (client.backlog !== undefined && client.socket.writableLength > 0 && nowMs - client.backlog.progressMs > WRITE_WITHIN_MS) {
      truth.note('write-overdue', client.account, { stalledMs: Math.round(nowMs - client.backlog.progressMs) })
      members.part(client, { kind: 'write-overdue', how: 'destroy' })
    } else if (nowMs - client.lastPingMs >= (demand?.everyMs ?? PING_EVERY_MS)) this.#ping(client, nowMs)
  }

  #ping(client: Client, nowMs: number): void {
    client.lastPingMs = nowMs
    // A ping that may overtake waiting probes proves nothing about them.
    client.pinged = client.backlog === undefined ? client.account.mark(this.#parts.truth.log) : undefined
    this.#parts.outbox.say(client, pingFrame())
  }
}
