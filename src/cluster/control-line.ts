/**
 * The owner's place in its group on the broker: what was said goes out, what is for the owner comes in, and when the connections are lost
 * others are made. Whether anything arrives is not its business; conversations see to that.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { backOffMs } from '../broker/back-off.ts'
import { describeError, FanfareError } from '../errors.ts'
import {
  type Arrival,
  type ConnectionsListener,
  type ControlAsk,
  type ControlConnections,
  openControlConnections,
} from './control-connections.ts'
import type { Parcel } from './wire/parcel.ts'

/** From dial to consuming; a broker that is up answers in milliseconds. */
const ATTEMPT_TIMEOUT_MS = 10_000

export interface LineListener {
  onArrival(arrival: Arrival): void
  /** Connected again. What was on its way may be lost. */
  onUp(): void
  onDown(why: FanfareError): void
  /** The broker takes nothing more for now (an alarm of its memory or disk). */
  onBlocked(isBlocked: boolean, reason: string): void
  /** No connection could be had for `waitMs`; the line is closed. */
  onLost(failure: FanfareError): void
}

export interface LineOptions extends ControlAsk {
  /** How long an unreachable broker is waited for, at the beginning and whenever it goes away. */
  readonly waitMs: number
}

export class ControlLine implements ConnectionsListener {
  readonly #options: LineOptions
  readonly #listener: LineListener
  readonly #ending = new AbortController()
  #connections: ControlConnections | undefined

  constructor(options: LineOptions, listener: LineListener) {
    this.#options = options
    this.#listener = listener
  }

  /**
   * Waits for a broker that cannot be reached yet. Messages may arrive before it resolves. Throws as `openControlConnections`, or the
   * signal's reason.
   */
  async open(signal: AbortSignal): Promise<void> {
    const giveUp = (): void => this.#ending.abort(signal.reason)
    signal.addEventListener('abort', giveUp, { once: true })
    if (signal.aborted) giveUp()
    try {
      await this.#establish(({ code }) => code === 'broker-unreachable')
    } finally {
      signal.removeEventListener('abort', giveUp)
    }
  }

  get isUp(): boolean {
    return this.#connections !== undefined
  }

  /** Dropped while the line is down. */
  speak(key: string, headers: object, parcel: Parcel): void {
    this.#connections?.speak(key, headers, parcel)
  }

  /** Whether somebody's queue is there; undefined when the broker could not be asked. */
  async isThere(queue: string): Promise<boolean | undefined> {
    return this.#connections?.isThere(queue)
  }

  /** Idempotent, bounded in time. */
  async close(): Promise<void> {
    this.#ending.abort()
    const connections = this.#connections
    this.#connections = undefined
    await connections?.close()
  }

  onArrival(arrival: Arrival): void {
    this.#listener.onArrival(arrival)
  }

  onBlocked(isBlocked: boolean, reason: string): void {
    this.#listener.onBlocked(isBlocked, reason)
  }

  onLost(failure: FanfareError): void {
    if (this.#connections === undefined) return
    this.#connections = undefined
    this.#listener.onDown(failure)
    void this.#reconnect()
  }

  async #reconnect(): Promise<void> {
    try {
      // Its own queue may be there still, until the broker notices that the old connection is gone.
      await this.#establish(({ code }) => code === 'broker-unreachable' || code === 'group-taken')
    } catch (error) {
      if (this.#ending.signal.aborted) return
      this.#ending.abort()
      this.#listener.onLost(error instanceof FanfareError ? error : new FanfareError('fault', describeError(error), { cause: error }))
      return
    }
    this.#listener.onUp()
  }

  /** Dials until there are connections, an error that `mayRetry` denies, or no time left. Throws the last error then. */
  async #establish(mayRetry: (error: FanfareError) => boolean): Promise<void> {
    const { signal } = this.#ending
    const startedMs = performance.now()
    for (let attempt = 0; ; attempt++) {
      try {
        const connections = await openControlConnections(this.#options, this, { timeoutMs: ATTEMPT_TIMEOUT_MS, signal })
        if (signal.aborted) await connections.close()
        signal.throwIfAborted()
        this.#connections = connections
        return
      } catch (error) {
        signal.throwIfAborted()
        if (!(error instanceof FanfareError) || !mayRetry(error)) throw error
        if (performance.now() - startedMs >= this.#options.waitMs) throw error
      }
      await sleep(backOffMs(attempt, Math.random()), undefined, { signal }).catch(() => signal.throwIfAborted())
    }
  }
}
