/** The run second by second: what went in, what came out, who was there, and how late it was. */

import type { HistogramData } from '../../measure/histogram.ts'
import { cumulativeCounts, percentiles } from '../../measure/percentiles.ts'
import type { Snapshot, TimelineSecond } from '../../measure/snapshot.ts'
import type { PublisherSnapshot } from '../../run/publisher.ts'
import { MS_PER_SECOND, usToMs } from '../../units.ts'
import type { Report } from '../schema.ts'

/** Ten buckets a decade from 0.1 ms to 1,000 s: rows of the heat map, each a quarter wider than the one below. */
const BUCKETS_PER_DECADE = 10
const FIRST_BOUND_US = 100
const DECADES = 7
export const latencyBucketBoundsUs: readonly number[] = Array.from({ length: DECADES * BUCKETS_PER_DECADE + 1 }, (_, index) =>
  Math.round(FIRST_BOUND_US * 10 ** (index / BUCKETS_PER_DECADE)),
)

type Entry = Report['timeline'][number]

/** One entry for every second from the first to the last in which anything happened; a silent second has its entry, too. */
export function timelineGroup(receivers: Snapshot, publisher: PublisherSnapshot | undefined, startedUs: number): Entry[] {
  const heard = new Map(receivers.timeline.map((second) => [second.second, second]))
  const published = new Map(publisher?.timeline)
  const seconds = [...heard.keys(), ...published.keys()]
  if (seconds.length === 0) return []

  const startedMs = usToMs(startedUs)
  const entries: Entry[] = []
  let ready = 0
  for (let second = smallest(seconds); second <= largest(seconds); second++) {
    const entry = heard.get(second)
    ready += entry?.connected ?? 0
    entries.push({
      atMs: second * MS_PER_SECOND - startedMs,
      published: publisher === undefined ? undefined : (published.get(second) ?? 0),
      ready,
      ...heardIn(entry),
    })
  }
  return entries
}

function heardIn(entry: TimelineSecond | undefined): Pick<Entry, 'delivered' | 'opened' | 'disconnected' | 'latencyUs' | 'latencyBuckets'> {
  if (entry === undefined) return { delivered: 0, opened: 0, disconnected: 0, latencyUs: {}, latencyBuckets: [] }
  const { p50, p99 } = percentiles(entry.latencyUs)
  return {
    delivered: entry.delivered,
    opened: entry.opened,
    disconnected: entry.disconnected,
    latencyUs: { p50, p99, max: entry.latencyUs.max },
    latencyBuckets: bucketsOf(entry.latencyUs),
  }
}

/** [bucket, count] where there is any; the index after the last bound stands for all that is beyond it. */
function bucketsOf(histogram: HistogramData): [number, number][] {
  const cumulative = [...cumulativeCounts(histogram, latencyBucketBoundsUs), histogram.count]
  return cumulative.flatMap((count, index): [number, number][] => {
    const inBucket = count - (cumulative[index - 1] ?? 0)
    return inBucket > 0 ? [[index, inBucket]] : []
  })
}

const smallest = (values: readonly number[]): number => values.reduce((a, b) => Math.min(a, b))
const largest = (values: readonly number[]): number => values.reduce((a, b) => Math.max(a, b))
