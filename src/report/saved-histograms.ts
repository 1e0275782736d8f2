/** Histograms of a saved report: decoded for ranks, with the exact extremes and mean of the summary beside them. */
import { decodeCounts } from '../measure/hdr-encoding.ts'
import { highestOf } from '../measure/hdr-layout.ts'
import type { HistogramData, SparseCounts } from '../measure/histogram.ts'
import type { Histograms } from './report-figures.ts'
import type { Report, Summary } from './schema.ts'

const NO_COUNTS: SparseCounts = { index: [], count: [] }

/** By the names thresholds know them by. */
export const savedHistograms = ({ histograms, latencyUs, serviceLatencyUs, fanout, publish, connect }: Report): Histograms => ({
  delivery: savedHistogram(histograms, 'latency', latencyUs),
  service: savedHistogram(histograms, 'serviceLatency', serviceLatencyUs),
  first: savedHistogram(histograms, 'first', fanout.firstUs),
  completion: savedHistogram(histograms, 'completion', fanout.completionUs),
  spread: savedHistogram(histograms, 'spread', fanout.spreadUs),
  lateness: savedHistogram(histograms, 'lateness', publish?.latenessUs),
  confirm: savedHistogram(histograms, 'confirmLatency', publish?.confirmLatencyUs),
  connect: savedHistogram(histograms, 'connectLatency', connect.latencyUs),
  ready: savedHistogram(histograms, 'readyLatency', connect.readyLatencyUs),
})

/** undefined when it was not saved or cannot be read. `name` is its key in the report's `histograms`. */
export function savedHistogram(histograms: Report['histograms'], name: string, summary?: Summary): HistogramData | undefined {
  const positive = decoded(histograms[name])
  const negative = decoded(histograms[`${name}Negative`])
  const count = total(positive) + total(negative)
  if (count === 0) return undefined
  const mostNegative = negative.index.at(-1)
  return {
    count,
    min: summary?.min ?? (mostNegative === undefined ? 0 : -highestOf(mostNegative)),
    max: summary?.max ?? highestOf(positive.index.at(-1) ?? 0),
    mean: summary?.mean,
    m2: 0,
    positive,
    negative,
  }
}

const total = (counts: SparseCounts): number => [...counts.count].reduce((sum, count) => sum + count, 0)

/** The figures of a report stand without a histogram that cannot be read. */
function decoded(text: string | undefined): SparseCounts {
  if (text === undefined) return NO_COUNTS
  try {
    return decodeCounts(text)
  } catch {
    return NO_COUNTS
  }
}
