/** A distribution as the report shows it: moments, extremes, and the percentiles that have enough samples behind them. */
import type { HistogramData } from '../../measure/histogram.ts'
import { standardDeviation } from '../../measure/moments.ts'
import { percentiles } from '../../measure/percentiles.ts'
import type { Report, Summary } from '../schema.ts'

/** Microseconds; a bare count when nothing was recorded. */
export const summaryOf = (histogram: HistogramData): Summary =>
  histogram.count === 0
    ? { count: 0 }
    : {
        count: histogram.count,
        min: histogram.min,
        mean: histogram.mean,
        stddev: standardDeviation(histogram),
        ...percentiles(histogram),
        max: histogram.max,
      }

export const boundedSummaryOf = (histogram: HistogramData, boundUs: number): Report['latencyUs'] => ({ ...summaryOf(histogram), boundUs })
