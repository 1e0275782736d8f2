/**
 * Percentile curves: how late the slowest share was, from half of all down to the last ten samples. Read from the encoded histograms of
 * a report, so that any saved report can be drawn.
 */
import type { HistogramData } from '../../measure/histogram.ts'
import { MIN_TAIL_SAMPLES, percentile } from '../../measure/percentiles.ts'
import { savedHistogram } from '../saved-histograms.ts'
import type { Report } from '../schema.ts'

export interface Curve {
  readonly name: string
  /** [share of samples beyond it, microseconds]; the share falls from 1. */
  readonly points: readonly (readonly [tail: number, us: number])[]
}

const curves: readonly [histogram: string, name: string][] = [
  ['latency', 'delivery'],
  ['serviceLatency', 'service'],
  ['completion', 'completion'],
]

/** So many points for each tenfold smaller tail. */
const POINTS_PER_DECADE = 16

export const percentileCurves = (histograms: Report['histograms']): Curve[] =>
  curves.flatMap(([key, name]) => {
    const points = curveOf(savedHistogram(histograms, key))
    return points.length === 0 ? [] : [{ name, points }]
  })

/** From all samples down to the last ten; empty when there are fewer than that. */
export function curveOf(histogram: HistogramData | undefined): Curve['points'] {
  const points: [number, number][] = []
  if (histogram === undefined) return points
  for (let step = 0; histogram.count * 10 ** (-step / POINTS_PER_DECADE) >= MIN_TAIL_SAMPLES; step++) {
    const tail = 10 ** (-step / POINTS_PER_DECADE)
    points.push([tail, percentile(histogram, 1 - tail)!])
  }
  return points
}
