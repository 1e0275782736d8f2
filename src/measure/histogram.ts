/** Latency histograms; placeholder shape until the class lands. */
/** Sparse counts: index into the HDR layout and how often. */
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
