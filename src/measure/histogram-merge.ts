/**
 * Adds histograms that left their recorders: counts are added, moments merged pairwise, nothing is averaged. Associative and
 * commutative, up to the last digits of mean and deviation.
 */
import { emptyHistogram, type HistogramData, type SparseCounts } from './histogram.ts'
import { mergeMoments } from './moments.ts'

export function mergeHistograms(a: HistogramData, b: HistogramData): HistogramData {
  if (a.count === 0) return b
  if (b.count === 0) return a
  const { count, mean, m2 } = mergeMoments({ ...a, mean: a.mean! }, { ...b, mean: b.mean! })
  return {
    count,
    min: Math.min(a.min!, b.min!),
    max: Math.max(a.max!, b.max!),
    mean,
    m2,
    positive: mergeCounts(a.positive, b.positive),
    negative: mergeCounts(a.negative, b.negative),
  }
}

/** The sum of any number of histograms. */
export const sumHistograms = (histograms: Iterable<HistogramData>): HistogramData => {
  let sum = emptyHistogram()
  for (const histogram of histograms) sum = mergeHistograms(sum, histogram)
  return sum
}

/** Walks two ascending lists of buckets at once. */
function mergeCounts(a: SparseCounts, b: SparseCounts): SparseCounts {
  if (a.index.length === 0) return b
  if (b.index.length === 0) return a
  const index = new Uint32Array(a.index.length + b.index.length)
  const count = new Float64Array(index.length)
  let used = 0
  let inA = 0
  let inB = 0
  while (inA < a.index.length || inB < b.index.length) {
    const bucketA = a.index[inA] ?? Number.POSITIVE_INFINITY
    const bucketB = b.index[inB] ?? Number.POSITIVE_INFINITY
    index[used] = Math.min(bucketA, bucketB)
    if (bucketA <= bucketB) count[used]! += a.count[inA++]!
    if (bucketB <= bucketA) count[used]! += b.count[inB++]!
    used++
  }
  return { index: index.slice(0, used), count: count.slice(0, used) }
}
