/**
 * Histograms in HdrHistogram's standard V2 compressed encoding (base64), which other tools read. The only file that knows
 * hdr-histogram-js. The format has no negative values: they stay out, and whoever prints the text says how many there were.
 */
import * as hdr from 'hdr-histogram-js'
import { BUCKETS, HIGHEST_US, lowestOf } from './hdr-layout.ts'
import type { HistogramData, SparseCounts } from './histogram.ts'

const SIGNIFICANT_DIGITS = 3

/** Counts above this need buckets of 64 bits, at twice the memory. */
const MAX_COUNT_32 = 2 ** 31 - 1

export function encodeHistogram(data: HistogramData): string {
  const histogram = hdr.build({
    lowestDiscernibleValue: 1,
    highestTrackableValue: HIGHEST_US,
    numberOfSignificantValueDigits: SIGNIFICANT_DIGITS,
    bitBucketSize: data.count > MAX_COUNT_32 ? 64 : 32,
    autoResize: false,
    useWebAssembly: false,
  })
  const { index, count } = data.positive
  for (let at = 0; at < index.length; at++) histogram.recordValueWithCount(lowestOf(index[at]!), count[at]!)
  return hdr.encodeIntoCompressedBase64(histogram)
}

/** The part of the library's histogram that its types leave out. */
interface CountsByIndex {
  getCountAtIndex(index: number): number
}

/** The counts of an encoded histogram, by bucket of our layout, which is the format's own. Throws on text that is none. */
export function decodeCounts(text: string): SparseCounts {
  const histogram = hdr.decodeFromCompressedBase64(text, 64, false) as unknown as CountsByIndex
  const index: number[] = []
  const count: number[] = []
  for (let bucket = 0; bucket < BUCKETS; bucket++) {
    const found = histogram.getCountAtIndex(bucket)
    if (!(found > 0)) continue
    index.push(bucket)
    count.push(found)
  }
  return { index, count }
}
