/**
 * Closes all clients of a thread politely and in bounded time: a number of close handshakes at once, and what is left when the
 * time is up is ended without one. A target that is gone must not keep the report waiting.
 */
import type { ClientStates } from './client-states.ts'
import type { Engine } from './engine.ts'

/** Close handshakes in flight: enough to be quick, few enough not to be a storm. */
const CONCURRENCY = 1_000
/** For all of them together. */
const DEADLINE_MS = 5_000
const NORMAL_CLOSURE = 1000

export class Goodbyes {
  readonly #engine: Engine
  readonly #states: ClientStates
  readonly #lastWords: (slot: number) => void
  /** Slots whose close handshake is under way. */
  readonly #inFlight = new Set<number>()
  #remaining: Generator<number> | undefined
  #isSaying = false
  #onLast: (() => void) | undefined

  /** @param lastWords is called for each client before its close frame */
  constructor(engine: Engine, states: ClientStates, lastWords: (slot: number) => void) {
    this.#engine = engine
    this.#states = states
    this.#lastWords = lastWords
  }

  /** Resolves when no client has a connection. */
  async sayAll(): Promise<void> {
    this.#remaining = this.#states.aliveSlots()
    const last = new Promise<void>((resolve) => {
      this.#onLast = resolve
    })
    const deadline = setTimeout(() => this.#endAll(), DEADLINE_MS)
    this.#sayMore()
    await last
    clearTimeout(deadline)
  }

  /** A client's connection has ended, by whatever cause. */
  ended(slot: number): void {
    this.#inFlight.delete(slot)
    this.#sayMore()
  }

  #sayMore(): void {
    // A connection may end while it is told to: that must not begin a second loop inside this one.
    if (this.#remaining === undefined || this.#isSaying) return
    this.#isSaying = true
    while (this.#inFlight.size < CONCURRENCY) {
      const next = this.#remaining.next()
      if (next.done) break
      this.#inFlight.add(next.value)
      this.#lastWords(next.value)
      this.#engine.close(next.value, NORMAL_CLOSURE)
    }
    this.#isSaying = false
    if (this.#states.alive === 0) this.#onLast?.()
  }

  #endAll(): void {
    for (const slot of [...this.#states.aliveSlots()]) this.#engine.abort(slot, undefined, 'closed without a handshake')
  }
}
