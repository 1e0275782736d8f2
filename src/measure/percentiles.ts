/**
 * What people and machines read from a histogram: percentiles by nearest rank, cumulative buckets. It knows
 * the layout of buckets and nothing of reports or Prometheus.
 */

import { highestOf, lowestOf } from './hdr-layout.ts'
import type { HistogramData, SparseCounts } from './histogram.ts'

/** The percentiles a report shows, as ratios. */
export const percentileRatios = { p50: 0.5, p90: 0.9, p95: 0.95, p99: 0.99, p999: 0.999, p9999: 0.9999 } as const
export type PercentileName = keyof typeof percentileRatios

/** A percentile with fewer values than this above it says more about luck than about the target (docs/design.md §9). */
export const MIN_TAIL_SAMPLES = 10

/**
 * The value of nearest rank ⌈ratio × count⌉, microseconds, within 0.1 % (the upper end of its bucket, as HdrHistogram tells it).
 * `missing` values count as infinitely large. undefined when there is nothing at all.
 */
export function percentile(data: HistogramData, ratio: number, missing = 0): number | undefined {
  const total = data.count + missing
  if (total === 0) return undefined
  const rank = rankOf(ratio, total)
  return rank > data.count ? Number.POSITIVE_INFINITY : valueAtRank(data, rank)
}

/** All percentiles of the report whose tail holds at least MIN_TAIL_SAMPLES values. */
export function percentiles(data: HistogramData): Partial<Record<PercentileName, number>> {
  const found: Partial<Record<PercentileName, number>> = {}
  for (const [name, ratio] of Object.entries(percentileRatios) as [PercentileName, number][]) {
    const rank = rankOf(ratio, data.count)
    if (data.count - rank >= MIN_TAIL_SAMPLES) found[name] = valueAtRank(data, rank)
  }
  return found
}

/**
 * How many values are at most each of the ascending `boundsUs`, for buckets of the Prometheus kind. A bucket that a bound cuts through
 * counts above it, so a count is never too large.
 */
export function cumulativeCounts(data: HistogramData, boundsUs: readonly number[]): number[] {
  const steps = [...ascending(data)]
  let below = 0
  let at = 0
  return boundsUs.map((boundUs) => {
    while (at < steps.length && steps[at]!.highestUs <= boundUs) below += steps[at++]!.count
    return below
  })
}

/** The product of a ratio such as 0.999 and a count may lie a last digit above the whole number it stands for. */
const rankOf = (ratio: number, count: number): number => Math.max(1, Math.ceil(ratio * count * (1 - Number.EPSILON)))

function valueAtRank(data: HistogramData, rank: number): number {
  // The largest value is known exactly.
  if (rank === data.count) return data.max!
  let below = 0
  for (const { count, highestUs } of ascending(data)) {
    below += count
    if (below >= rank) return Math.min(data.max!, Math.max(data.min!, highestUs))
  }
  return data.max!
}

interface Step {
  /** The largest value of the bucket, toward plus infinity. */
  readonly highestUs: number
  readonly count: number
}

/** Buckets from the most negative to the largest. */
function* ascending(data: HistogramData): Generator<Step> {
  yield* mirrored(data.negative)
  for (let at = 0; at < data.positive.index.length; at++) {
    yield { highestUs: highestOf(data.positive.index[at]!), count: data.positive.count[at]! }
  }
}

function* mirrored(negative: SparseCounts): Generator<Step> {
  for (let at = negative.index.length - 1; at >= 0; at--) {
    yield { highestUs: -lowestOf(negative.index[at]!), count: negative.count[at]! }
  }
}
