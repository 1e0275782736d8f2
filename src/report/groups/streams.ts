/** The books stream by stream, for finding the one that differs. */
import type { StreamPlan } from '../../config/plan.ts'
import type { Snapshot, StreamCounts } from '../../measure/snapshot.ts'
import type { Report } from '../schema.ts'

/** Rows in a report; of more streams those that miss most are kept. */
export const MAX_STREAM_ROWS = 1_000

export function streamGroups({ streams }: Pick<Snapshot, 'streams'>, plans: readonly StreamPlan[]): NonNullable<Report['streams']> {
  const nameOf = new Map(plans.map(({ index, name }) => [index, name]))
  const kept = streams.length <= MAX_STREAM_ROWS ? streams : streams.toSorted(byBadness).slice(0, MAX_STREAM_ROWS)
  return kept
    .toSorted((a, b) => a.stream - b.stream)
    .map(({ stream, ...counts }) => ({ index: stream, name: nameOf.get(stream) ?? '', ...counts }))
}

const byBadness = (a: StreamCounts, b: StreamCounts): number => b.missed + b.lost - a.missed - a.lost || a.stream - b.stream
