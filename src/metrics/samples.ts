/**
 * Samples as Prometheus wants them: base units, labels, cumulative buckets. It knows how a figure is written down, not which
 * figures there are.
 */
import type { HistogramData } from '../measure/histogram.ts'
import { cumulativeCounts } from '../measure/percentiles.ts'
import { US_PER_SECOND, usToSeconds } from '../units.ts'

export interface Sample {
  readonly value: number
  readonly labels: Readonly<Record<string, string>>
  /** Differs from the metric's name for the parts of a histogram. */
  readonly metricName?: string
}

/** Five bounds a decade from 0.1 ms, each about 1.6 times the one below, and 600 s at the end. */
const STEPS = [1, 1.6, 2.5, 4, 6.3]
const FIRST_DECADE = -4
const LAST_BOUND_SECONDS = 600
const bucketBoundsSeconds: readonly number[] = [
  ...Array.from({ length: 7 }, (_, decade) => STEPS.map((step) => Number(`${step}e${FIRST_DECADE + decade}`)))
    .flat()
    .filter((seconds) => seconds < LAST_BOUND_SECONDS),
  LAST_BOUND_SECONDS,
]
const bucketBoundsUs = bucketBoundsSeconds.map((seconds) => Math.round(seconds * US_PER_SECOND))

export const gauge = (value: number, labels: Sample['labels'] = {}): Sample[] => [{ value, labels }]

/** One sample per value of a closed set: 1 for the one that holds, 0 for the others. */
export const oneOf = (label: string, all: readonly string[], current: string | undefined): Sample[] =>
  all.map((value) => ({ value: value === current ? 1 : 0, labels: { [label]: value } }))

/** One sample per value of a closed set, 0 where there is no count. */
export const countPer = (label: string, all: readonly string[], counts: Readonly<Record<string, number | undefined>>): Sample[] =>
  all.map((value) => ({ value: counts[value] ?? 0, labels: { [label]: value } }))

/** Buckets, sum and count of a histogram in microseconds. Values below zero stand in the first bucket. */
export function histogramSamples(name: string, histogram: HistogramData, labels: Sample['labels'] = {}): Sample[] {
  const cumulative = cumulativeCounts(histogram, bucketBoundsUs)
  return [
    ...cumulative.map((value, index) => ({
      metricName: `${name}_bucket`,
      value,
      labels: { ...labels, le: String(bucketBoundsSeconds[index]) },
    })),
    { metricName: `${name}_bucket`, value: histogram.count, labels: { ...labels, le: '+Inf' } },
    { metricName: `${name}_sum`, value: usToSeconds((histogram.mean ?? 0) * histogram.count), labels },
    { metricName: `${name}_count`, value: histogram.count, labels },
  ]
}
