/**
 * Whether two groups of runs differ by more than chance would: a permutation test on their rank sums (Mann and Whitney, 1947), which a single odd
 * run cannot sway. Its unit is the run, because the deliveries within a run (and of one probe) depend on each other. Assumption: if nothing had
 * changed, any of the runs could have stood in either group. It knows nothing of reports.
 */

/** Fewer runs on a side are not tested: chance could hardly be told from a change. */
export const MIN_RUNS = 5
/** Up to so many ways to share out the runs all are looked at; beyond, so many are drawn. */
const MAX_EXACT = 20_000
const DRAWS = 10_000

/** Two-sided p-value: how often chance alone separates the groups at least as far. Deterministic. undefined with too few runs. */
export function permutationTest(before: readonly number[], after: readonly number[]): number | undefined {
  if (before.length < MIN_RUNS || after.length < MIN_RUNS) return undefined
  const ranks = doubledRanks([...before, ...after])
  const chosen = before.length
  // Doubled ranks of all runs add up to n × (n + 1); a group that is like the other has its share of that.
  const expected = chosen * (ranks.length + 1)
  const observed = Math.abs(sum(ranks.slice(0, chosen)) - expected)
  const isExtreme = (rankSum: number): boolean => Math.abs(rankSum - expected) >= observed
  return ways(ranks.length, chosen) <= MAX_EXACT ? exactShare(ranks, chosen, isExtreme) : drawnShare(ranks, chosen, isExtreme)
}

export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b)
  const middle = sorted.length >>> 1
  return sorted.length % 2 === 1 ? sorted[middle]! : (sorted[middle - 1]! + sorted[middle]!) / 2
}

/** Twice the rank of each value, so that equal values, which share the middle of their ranks, stay whole numbers. */
function doubledRanks(values: readonly number[]): number[] {
  return values.map((value) => {
    const below = values.filter((other) => other < value).length
    const equal = values.filter((other) => other === value).length
    return 2 * below + equal + 1
  })
}

const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0)

function ways(total: number, chosen: number): number {
  let count = 1
  for (let step = 1; step <= chosen; step++) count = (count * (total - chosen + step)) / step
  return Math.round(count)
}

/** Every way to choose the first group. */
function exactShare(ranks: readonly number[], chosen: number, isExtreme: (rankSum: number) => boolean): number {
  let seen = 0
  let extreme = 0
  const choose = (from: number, left: number, rankSum: number): void => {
    if (left === 0) {
      seen++
      if (isExtreme(rankSum)) extreme++
      return
    }
    for (let at = from; at <= ranks.length - left; at++) choose(at + 1, left - 1, rankSum + ranks[at]!)
  }
  choose(0, chosen, 0)
  return extreme / seen
}

/** Drawn ways; the observed one counts as one of them, so the value is never 0. */
function drawnShare(ranks: readonly number[], chosen: number, isExtreme: (rankSum: number) => boolean): number {
  const random = fixedRandom()
  const shuffled = [...ranks]
  let extreme = 1
  for (let draw = 0; draw < DRAWS; draw++) {
    let rankSum = 0
    for (let at = 0; at < chosen; at++) {
      const other = at + Math.floor(random() * (shuffled.length - at))
      ;[shuffled[at], shuffled[other]] = [shuffled[other]!, shuffled[at]!]
      rankSum += shuffled[at]!
    }
    if (isExtreme(rankSum)) extreme++
  }
  return extreme / (DRAWS + 1)
}

/** The same numbers each time (mulberry32), so that a comparison says the same when it is repeated. */
function fixedRandom(): () => number {
  let state = 0x9e3779b9
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}
