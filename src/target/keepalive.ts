/**
 * Pings clients and cuts those that are gone. One timer looks at all of them; a timer each would cost more than the clients.
 */
import type { Client } from './client.ts'
import type { Departures } from './departures.ts'
import { pingFrame } from './frame.ts'
import type { Gate } from './gate.ts'
import type { HabitBook } from './habits/habit-book.ts'
import { dueFor, RANGO_LIMITS } from './liveness.ts'
import type { Members } from './members.ts'
import type { Outbox } from './outbox.ts'
import type { Truth } from './truth.ts'

const LOOK_EVERY_MS = 1_000
/** How many times a demanded pong's period is looked at, so that a cut comes about when it was asked for. */
const LOOKS_PER_PERIOD = 4
const SHORTEST_LOOK_MS = 5

export interface KeepaliveParts {
  readonly members: Members
  readonly departures: Departures
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
    const { departures, book, truth } = this.#parts
    const { backlog, lastPingMs, lastPongMs } = client
    const stalledSinceMs = backlog !== undefined && client.socket.writableLength > 0 ? backlog.progressMs : undefined
    const demand = mayDemand ? book.liveness('demand-pong', client.number) : undefined
    const limits = demand === undefined ? RANGO_LIMITS : { ...RANGO_LIMITS, pingEveryMs: demand.everyMs, pongWithinMs: demand.withinMs }
    const due = dueFor({ nowMs, lastPingMs, lastPongMs, stalledSinceMs }, limits)
    if (due === undefined) return
    if (due === 'ping') {
      this.#ping(client, nowMs)
      return
    }
    truth.note(due, client.account, { forMs: Math.round(nowMs - (due === 'pong-overdue' ? lastPongMs : (stalledSinceMs ?? nowMs))) })
    departures.part(client, { kind: due, how: 'destroy' })
  }

  #ping(client: Client, nowMs: number): void {
    client.lastPingMs = nowMs
    const mark = client.account.mark(this.#parts.truth.log)
    const payload = `${mark.position}.${mark.listedWrites}`
    // A ping that may overtake waiting probes proves nothing about them.
    client.pinged = client.backlog === undefined ? { payload, mark } : undefined
    this.#parts.outbox.say(client, pingFrame(Buffer.from(payload)))
  }
}
