/** How probes went in: their fates, the pace, and what made them late. */
import type { PublisherSnapshot } from '../../run/publisher.ts'
import { usToMs } from '../../units.ts'
import type { Report } from '../schema.ts'
import { summaryOf } from './summary.ts'

/** `startedUs`: start of the run on the run clock. */
export function publishGroup(publisher: PublisherSnapshot, startedUs: number): NonNullable<Report['publish']> {
  const { scheduled, published, skipped, confirmed, returned, nacked, unknown, resent, connectionLosses } = publisher
  return {
    scheduled,
    published,
    skipped,
    confirmed,
    returned,
    nacked,
    unknown,
    resent,
    targetRatePerSecond: publisher.targetRatePerSecond,
    achievedRatePerSecond: publisher.achievedRatePerSecond,
    durationMs:
      publisher.startedUs === undefined || publisher.endedUs === undefined ? undefined : usToMs(publisher.endedUs - publisher.startedUs),
    connectionLosses,
    blocked: publisher.blocked.map(({ startUs, endUs, reason }) => ({
      startMs: usToMs(startUs - startedUs),
      endMs: endUs === undefined ? undefined : usToMs(endUs - startedUs),
      reason,
    })),
    latenessUs: summaryOf(publisher.latenessUs),
    latenessByCause: publisher.latenessByCause,
    confirmLatencyUs: summaryOf(publisher.confirmLatencyUs),
  }
}
