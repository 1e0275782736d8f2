/**
 * The statistics that tables show of a distribution, in their order, and what people call them. It computes none of them.
 */

export const shownStatistics = ['p50', 'p90', 'p99', 'p999', 'max', 'mean'] as const

export const statisticNames: Readonly<Record<(typeof shownStatistics)[number], string>> = {
  p50: 'p50',
  p90: 'p90',
  p99: 'p99',
  p999: 'p99.9',
  max: 'max',
  mean: 'mean',
}
