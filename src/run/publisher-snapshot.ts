/**
 * Snapshots of publishing that no running publisher makes: the one before anything happened, and the last reading of the log when
 * the thread that wrote it is gone.
 */
import { type Plan, streamRatePerSecond } from '../config/plan.ts'
import { emptyHistogram } from '../measure/histogram.ts'
import { ProbeState, type PublisherLog } from '../measure/publisher-log.ts'
import { noLateness } from './publish-books.ts'
import type { PublisherSnapshot } from './publisher.ts'
import { noPublisherHealth } from './publisher-thread-health.ts'

/** All streams together; undefined with pacing closed. */
export function targetRatePerSecond({ publish, streams }: Plan): number | undefined {
  const ratePerSecond = streamRatePerSecond(publish.pace)
  return ratePerSecond === undefined ? undefined : ratePerSecond * streams.length
}

export const firstSnapshot = (plan: Plan): PublisherSnapshot => ({
  scheduled: 0,
  published: 0,
  skipped: 0,
  confirmed: 0,
  returned: 0,
  nacked: 0,
  unknown: 0,
  resent: 0,
  outstanding: 0,
  targetRatePerSecond: targetRatePerSecond(plan),
  achievedRatePerSecond: undefined,
  startedUs: undefined,
  endedUs: undefined,
  blocked: [],
  connectionLosses: 0,
  latenessUs: emptyHistogram(),
  latenessByCause: noLateness(),
  confirmLatencyUs: emptyHistogram(),
  timeline: [],
  obstacle: 'disconnected',
  thread: noPublisherHealth(plan.replica),
  clockBoundUs: 0,
})

/** The writer died: what it left outstanding is unknown, and the counts are read from the log, since its last snapshot is older. */
export function settleDeadLog(log: PublisherLog, last: PublisherSnapshot): PublisherSnapshot {
  const byState = [0, 0, 0, 0, 0, 0]
  for (const { states } of log.streams) {
    for (let sequence = 0; sequence < states.length; sequence += 1) {
      if (states[sequence] === ProbeState.outstanding) states[sequence] = ProbeState.unknown
      byState[states[sequence]!]! += 1
    }
  }
  const [, , confirmed = 0, returned = 0, nacked = 0, unknown = 0] = byState
  const published = confirmed + returned + nacked + unknown
  const scheduled = Math.max(last.scheduled, published + last.skipped)
  return { ...last, scheduled, published, skipped: scheduled - published, confirmed, returned, nacked, unknown, outstanding: 0 }
}
