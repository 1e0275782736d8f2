/**
 * The result of a run that was cut short before its story could end by itself: nobody joined, or whoever led it went away. It holds what
 * is known, and a report says why. What is neither an interruption nor a refusal goes up.
 */
import type { Plan } from '../config/plan.ts'
import { FanfareError } from '../errors.ts'
import type { PublisherLog } from '../measure/publisher-log.ts'
import type { Snapshot, ThreadHealth } from '../measure/snapshot.ts'
import { emptySnapshot } from '../measure/snapshot-merge.ts'
import type { RunResult, Warning } from './result.ts'
import { Interruption } from './story.ts'
import { ownUsage } from './usage.ts'

export interface CutShortFacts {
  /** As far as it had been made. */
  readonly plan: Plan
  /** What was thrown. */
  readonly reason: unknown
  /** Run clock. */
  readonly startedUs: number
  readonly endedUs: number
  readonly mainThread: ThreadHealth
  readonly warnings: readonly Warning[]
  /** Default: nobody was there. */
  readonly receivers?: Snapshot
  readonly log?: PublisherLog
  readonly died?: readonly string[]
}

export function cutShort({ reason, receivers = emptySnapshot(), log = { streams: [] }, died = [], ...facts }: CutShortFacts): RunResult {
  const isRefused = reason instanceof FanfareError && reason.outcome === 'refused'
  const isInterrupted = reason instanceof Interruption
  if (!isRefused && !isInterrupted) throw reason
  return {
    ...facts,
    stopReason: isInterrupted ? 'signal' : 'failed',
    failure: isRefused ? reason : undefined,
    signal: isInterrupted ? reason.signal : undefined,
    publishEndedUs: undefined,
    drainEndedUs: undefined,
    receivers,
    publisher: undefined,
    log,
    replicas: [],
    cpuSeconds: undefined,
    rssBytes: ownUsage().rssBytes,
    bytesPerClient: undefined,
    died,
  }
}
