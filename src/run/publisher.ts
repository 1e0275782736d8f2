/**
 * The publisher contract: what the run sees of the publishing side, whichever thread does the work. The publisher knows
 * the plan, the pacer and an injector; it never sees clients.
 */
import type { InjectionOutcome, Obstacle } from '../broker/injector.ts'
import type { FanfareError } from '../errors.ts'
import type { HistogramData } from '../measure/histogram.ts'
import type { PublisherLog } from '../measure/publisher-log.ts'
import type { ThreadHealth } from '../measure/snapshot.ts'

/** How much a sentence for the log matters; `debug`: only to who looks for a cause. */
export type NoticeLevel = 'warn' | 'info' | 'debug'

/** Why a slot was late: the tester's own loop, or the injector's obstacle (docs/design.md §5). */
export type LatenessCause = 'loop' | Obstacle

/** Everything known about publishing at an instant; cumulative, for the measured probes only. */
export interface PublisherSnapshot {
  scheduled: number
  published: number
  skipped: number
  confirmed: number
  returned: number
  nacked: number
  unknown: number
  resent: number
  /** Handed over and not settled yet: published = confirmed + returned + nacked + unknown + outstanding. */
  outstanding: number
  /** undefined with pacing closed. */
  targetRatePerSecond: number | undefined
  achievedRatePerSecond: number | undefined
  /** First and last probe handed to the injector, run clock. */
  startedUs: number | undefined
  endedUs: number | undefined
  /** connection.blocked intervals, run clock; an open one has no `endUs`. */
  blocked: { startUs: number; endUs: number | undefined; reason: string }[]
  /** Times the connection was lost and had again. */
  connectionLosses: number
  latenessUs: HistogramData
  /** Late slots (over LATE_SLOT_US) and their summed lateness, by cause. */
  latenessByCause: Record<LatenessCause, { count: number; totalUs: number; maxUs: number }>
  confirmLatencyUs: HistogramData
  /** Probes published per second of the run: [second since the epoch, count]. */
  timeline: [number, number][]
  /** What stands in the way now; undefined once the publisher is closed. */
  obstacle: Obstacle | undefined
  thread: ThreadHealth
  clockBoundUs: number
}

export type CanaryOutcome = InjectionOutcome | 'timeout'

/** How publishing ended; see `Publisher.publish`. */
export type PublishOutcome = 'finished' | 'aborted' | 'lost'

export interface Publisher {
  /** Connects and checks the exchange; see `Injector.open` for waiting and errors. */
  open(signal: AbortSignal): Promise<void>
  /** Publishes one canary per stream and waits for its fate, at most CANARY_TIMEOUT_MS. The worst outcome is told. */
  canary(signal: AbortSignal): Promise<CanaryOutcome>
  /** Publishes WARMUP_COUNT probes per stream at the planned pace and waits until they are settled. */
  warmUp(signal: AbortSignal): Promise<void>
  /**
   * Publishes the measured probes. Resolves when each is settled or skipped; `aborted` when `signal` ended it, `lost` when the
   * broker is lost for good. Never rejects for what the world does.
   */
  publish(signal: AbortSignal): Promise<PublishOutcome>
  /** The latest figures; up to a second old while publishing, exact once `publish` has resolved. */
  snapshot(): PublisherSnapshot
  /** The log in shared memory; `sentUs` and `states` are being written while publishing. */
  readonly log: PublisherLog
  /** Why `publish` said `lost` (or would): the broker is gone for good, or the thread died (`fault`). */
  readonly lostBecause: FanfareError | undefined
  /** Ends the connection and the thread. Idempotent, bounded in time. */
  close(): Promise<void>
}
