/**
 * Mean and squared deviation of a set of values, merged pairwise (Chan, Golub, LeVeque 1979: "Updating formulae and a pairwise
 * algorithm for computing sample variances"), so that no total ever loses the digits of its parts.
 */

export interface Moments {
  readonly count: number
  /** 0 when there are none. */
  readonly mean: number
  /** Sum of squared deviations from the mean. */
  readonly m2: number
}

export const NO_MOMENTS: Moments = { count: 0, mean: 0, m2: 0 }

export function mergeMoments(a: Moments, b: Moments): Moments {
  if (a.count === 0) return b
  if (b.count === 0) return a
  const count = a.count + b.count
  const delta = b.mean - a.mean
  return {
    count,
    mean: (a.mean * a.count + b.mean * b.count) / count,
    m2: a.m2 + b.m2 + delta * delta * ((a.count * b.count) / count),
  }
}

/**
 * Moments of `count` values from the sums of their distances to a value near them and of those distances squared. Exact as long as the
 * sums are: whole numbers below 2^53.
 */
export function momentsOfSums(count: number, near: number, sum: number, squares: number): Moments {
  if (count === 0) return NO_MOMENTS
  return { count, mean: near + sum / count, m2: Math.max(0, squares - (sum * sum) / count) }
}

/** Standard deviation of the population; undefined when there are no values. */
export const standardDeviation = (moments: { readonly count: number; readonly m2: number }): number | undefined =>
  moments.count === 0 ? undefined : Math.sqrt(moments.m2 / moments.count)
