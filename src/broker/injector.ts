/**
 * The injector contract: the way probes enter. An injector knows its broker; it knows nothing of pacing, clients or books.
 * One file per injector stands beside this one.
 */

/** One probe as it enters. `stream` and `sequence` come back in `onSettled` as they are; the injector reads nothing into them. */
export interface Injection {
  readonly stream: number
  readonly sequence: number
  readonly routingKey: string
  readonly body: Buffer
}

/** Why the next probe cannot be handed over now; also the cause of a late slot (docs/design.md §5). */
export type Obstacle = 'window' | 'drain' | 'blocked' | 'disconnected'

/** How a probe ended (docs/design.md §6). Returned wins over the confirm that follows it. */
export type InjectionOutcome = 'confirmed' | 'returned' | 'nacked' | 'unknown'

/** What the injector tells; called on the publisher's thread, never re-entrantly from `inject`. */
export interface InjectorListener {
  /** Exactly once for each injected probe. `confirmUs`: how long the confirm took; absent for `unknown`. */
  onSettled(stream: number, sequence: number, outcome: InjectionOutcome, confirmUs: number | undefined): void
  /** An obstacle appeared or went away; `obstacle()` says what stands now. */
  onObstacleChanged(): void
  /** `connection.blocked` intervals; `reason` is the broker's text. */
  onBlocked(isBlocked: boolean, reason: string): void
  /** An attempt to connect failed with this sentence and is repeated; `attempt` counts from 1. */
  onRetry?(attempt: number, text: string): void
  /** The connection was lost (`up: false`, with a sentence) or is back. Lost for good: see `onLost`. */
  onConnection(up: boolean, text: string): void
  /** No connection could be had again for AMQP_WAIT_MS, or the exchange is gone for good: the broker is lost. */
  onLost(error: Error): void
}

export interface Injector {
  /**
   * Connects and checks that probes can enter; waits up to AMQP_WAIT_MS for an unreachable broker or a missing exchange.
   * Throws FanfareError: broker-unreachable, broker-not-amqp, broker-tls, broker-access-refused, broker-vhost-missing,
   * exchange-missing, exchange-mismatch. `signal` ends the waiting at once.
   */
  open(listener: InjectorListener, signal: AbortSignal): Promise<void>
  /** What stands in the way now, if anything. */
  obstacle(): Obstacle | undefined
  /** Hands one probe over; only when `obstacle()` is undefined. Never throws for a connection that just went: it settles `unknown`. */
  inject(injection: Injection): void
  /** Probes handed over and not settled. */
  outstanding(): number
  /** Ends the connection; what is still outstanding settles as `unknown` first. Idempotent, bounded in time. */
  close(): Promise<void>
}
