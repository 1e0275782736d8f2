/**
 * The ledger's own rules (docs/design.md §6), written a second time and as plainly as can be: what must stand in the books of a client
 * that heard these probes in this order. No bitmaps, no intervals, nothing shared with `src/measure`.
 */

/** What is counted for one client. */
export interface ClientBooks {
  readonly delivered: number
  readonly duplicated: number
  readonly outOfOrder: number
  readonly early: number
  readonly late: number
  readonly unexpected: number
}

export interface Heard {
  /** Sequences in the order of arrival. */
  readonly probes: readonly number[]
  /** How many of them came before the drain had ended. */
  readonly inTime: number
}

export interface Rules {
  /** When a probe was sent. */
  readonly sentUs: (sequence: number) => number
  /** First ready; infinite for a client that never was. */
  readonly readyUs: number
  /** Sequences from here on belong to no stream; infinite when nobody knows how many there are. */
  readonly limit: number
}

/** The books of a client, and which probes were delivered to it. */
export function booksOf(
  { probes, inTime }: Heard,
  { sentUs, readyUs, limit }: Rules,
): ClientBooks & { readonly deliveredProbes: Set<number> } {
  const known = new Set<number>()
  const deliveredProbes = new Set<number>()
  let duplicated = 0
  let outOfOrder = 0
  let early = 0
  let late = 0
  let unexpected = 0
  let highest = -1
  probes.forEach((sequence, place) => {
    if (sequence >= limit) unexpected++
    else if (sentUs(sequence) < readyUs) early++
    else if (known.has(sequence)) duplicated++
    else {
      known.add(sequence)
      if (place >= inTime) late++
      else {
        deliveredProbes.add(sequence)
        if (sequence < highest) outOfOrder++
      }
      highest = Math.max(highest, sequence)
    }
  })
  return { delivered: deliveredProbes.size, duplicated, outOfOrder, early, late, unexpected, deliveredProbes }
}
