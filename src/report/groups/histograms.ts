/** Whole distributions in HdrHistogram's standard encoding, so that other tools can read, merge and plot them. */
import { encodeHistogram } from '../../measure/hdr-encoding.ts'
import type { HistogramData } from '../../measure/histogram.ts'
import type { Report } from '../schema.ts'

/** Those that hold anything; the format has no negative values, so they go into one of their own, by their size. */
export function histogramsGroup(histograms: Readonly<Record<string, HistogramData | undefined>>): Report['histograms'] {
  const encoded: Report['histograms'] = {}
  for (const [name, histogram] of Object.entries(histograms)) {
    if (histogram === undefined || histogram.count === 0) continue
    encoded[name] = encodeHistogram(histogram)
    if (histogram.negative.index.length > 0) encoded[`${name}Negative`] = encodeHistogram({ ...histogram, positive: histogram.negative })
  }
  return encoded
}
