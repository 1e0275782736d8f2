/**
 * Latency histograms. Recording is on the receive path (about 10 ns a value, see bench/books.ts) and allocates nothing; what was
 * recorded leaves as plain data, which is what is merged, reported and read for percentiles. It knows nothing of what the values mean.
 */
import { assert } from '../errors.ts'
import { BUCKETS, bucketOf, HALF_BUCKETS, HIGHEST_US } from './hdr-layout.ts'
import { type Moments, mergeMoments, momentsOfSums, NO_MOMENTS } from './moments.ts'

/** Sparse counts: bucket of the HDR layout (hdr-layout.ts), ascending, and how often. */
export interface SparseCounts {
  readonly index: readonly number[] | Uint32Array
  readonly count: readonly number[] | Float64Array
}

/**
 * One histogram as plain data, microseconds. Values below zero are kept in `negative` by their size. Moments are exact and
 * merge pairwise (Chan et al.); `min`, `max`, `mean` are undefined when `count` is 0.
 */
export interface HistogramData {
  readonly count: number
  readonly min: number | undefined
  readonly max: number | undefined
  readonly mean: number | undefined
  /** Sum of squared deviations from the mean. */
  readonly m2: number
  readonly positive: SparseCounts
  readonly negative: SparseCounts
}

const NO_COUNTS: SparseCounts = { index: [], count: [] }

export const emptyHistogram = (): HistogramData => ({
  count: 0,
  min: undefined,
  max: undefined,
  mean: undefined,
  m2: 0,
  positive: NO_COUNTS,
  negative: NO_COUNTS,
})

/** So many values are summed before their moments are merged: sums of an hour each still are whole numbers below 2^53. */
const BATCH = 65_536

// Slots of `#sums`: a double in an object field would be allocated anew at each store.
const COUNT = 0
const NEAR = 1
const SUM = 2
const SQUARES = 3
const MIN = 4
const MAX = 5

/** Counts of whole microseconds, both sides of zero. */
export class Histogram {
  /** By bucket; grows by octaves as larger values come. */
  #positive: Float64Array = new Float64Array(HALF_BUCKETS * 2)
  #negative: Float64Array = new Float64Array(0)
  readonly #sums = new Float64Array(6)
  #moments: Moments = NO_MOMENTS

  constructor() {
    this.#sums[MIN] = Number.POSITIVE_INFINITY
    this.#sums[MAX] = Number.NEGATIVE_INFINITY
  }

  static fromData(data: HistogramData): Histogram {
    const histogram = new Histogram()
    histogram.merge(data)
    return histogram
  }

  get count(): number {
    return this.#moments.count + this.#sums[COUNT]!
  }

  /** Records one value, rounded to whole microseconds. Above an hour it falls in the last bucket; extremes and moments stay exact. */
  record(us: number): void {
    const value = Math.floor(us + 0.5)
    if (!(value >= 0)) {
      this.#add(value, 1)
      return
    }
    const bucket = bucketOf(Math.min(value, HIGHEST_US))
    if (bucket >= this.#positive.length) this.#positive = grown(this.#positive, bucket)
    this.#positive[bucket]!++

    const sums = this.#sums
    if (sums[COUNT] === 0) sums[NEAR] = value
    const distance = value - sums[NEAR]!
    sums[SUM]! += distance
    sums[SQUARES]! += distance * distance
    if (value < sums[MIN]!) sums[MIN] = value
    if (value > sums[MAX]!) sums[MAX] = value
    if (++sums[COUNT]! === BATCH) this.#closeBatch()
  }

  /** The same as calling `record` so many times. */
  recordMany(us: number, times: number): void {
    const value = Math.floor(us + 0.5)
    if (times === 0) return
    if (!(value >= 0)) {
      this.#add(value, times)
      return
    }
    const bucket = bucketOf(Math.min(value, HIGHEST_US))
    if (bucket >= this.#positive.length) this.#positive = grown(this.#positive, bucket)
    this.#positive[bucket]! += times

    const sums = this.#sums
    if (sums[COUNT] === 0) sums[NEAR] = value
    const distance = value - sums[NEAR]!
    sums[SUM]! += distance * times
    sums[SQUARES]! += distance * distance * times
    if (value < sums[MIN]!) sums[MIN] = value
    if (value > sums[MAX]!) sums[MAX] = value
    sums[COUNT]! += times
    if (sums[COUNT]! >= BATCH) this.#closeBatch()
  }

  /** Adds what another histogram recorded. */
  merge(data: HistogramData): void {
    this.#positive = added(this.#positive, data.positive)
    this.#negative = added(this.#negative, data.negative)
    this.#moments = mergeMoments(this.#moments, { count: data.count, mean: data.mean ?? 0, m2: data.m2 })
    this.#sums[MIN] = Math.min(this.#sums[MIN]!, data.min ?? Number.POSITIVE_INFINITY)
    this.#sums[MAX] = Math.max(this.#sums[MAX]!, data.max ?? Number.NEGATIVE_INFINITY)
  }

  /** Everything recorded so far, as a copy. */
  data(): HistogramData {
    this.#closeBatch()
    const { count, mean, m2 } = this.#moments
    if (count === 0) return emptyHistogram()
    return {
      count,
      min: this.#sums[MIN]!,
      max: this.#sums[MAX]!,
      mean,
      m2,
      positive: sparse(this.#positive),
      negative: sparse(this.#negative),
    }
  }

  /** Everything recorded since the last `take`; the histogram is empty afterwards and keeps its memory. */
  take(): HistogramData {
    const data = this.data()
    for (const bucket of data.positive.index) this.#positive[bucket] = 0
    for (const bucket of data.negative.index) this.#negative[bucket] = 0
    this.#sums[MIN] = Number.POSITIVE_INFINITY
    this.#sums[MAX] = Number.NEGATIVE_INFINITY
    this.#moments = NO_MOMENTS
    return data
  }

  #add(value: number, times: number): void {
    assert(!Number.isNaN(value), 'A latency was not a number')
    const counts: SparseCounts = { index: [bucketOf(Math.min(Math.abs(value), HIGHEST_US))], count: [times] }
    this.merge({
      count: times,
      min: value,
      max: value,
      mean: value,
      m2: 0,
      positive: value >= 0 ? counts : NO_COUNTS,
      negative: value < 0 ? counts : NO_COUNTS,
    })
  }

  #closeBatch(): void {
    const sums = this.#sums
    this.#moments = mergeMoments(this.#moments, momentsOfSums(sums[COUNT]!, sums[NEAR]!, sums[SUM]!, sums[SQUARES]!))
    sums[COUNT] = 0
    sums[SUM] = 0
    sums[SQUARES] = 0
  }
}

/** A copy that has the bucket, made longer by whole octaves. */
function grown(counts: Float64Array, bucket: number): Float64Array {
  const larger = new Float64Array(Math.min(BUCKETS, (Math.floor(bucket / HALF_BUCKETS) + 1) * HALF_BUCKETS))
  larger.set(counts)
  return larger
}

function added(counts: Float64Array, more: SparseCounts): Float64Array {
  const highest = more.index.at(-1) ?? -1
  const sum = highest < counts.length ? counts : grown(counts, highest)
  for (let at = 0; at < more.index.length; at++) sum[more.index[at]!]! += more.count[at]!
  return sum
}

function sparse(counts: Float64Array): SparseCounts {
  let used = 0
  for (let bucket = 0; bucket < counts.length; bucket++) if (counts[bucket] !== 0) used++
  const index = new Uint32Array(used)
  const count = new Float64Array(used)
  let at = 0
  for (let bucket = 0; bucket < counts.length; bucket++) {
    if (counts[bucket] === 0) continue
    index[at] = bucket
    count[at++] = counts[bucket]!
  }
  return { index, count }
}
