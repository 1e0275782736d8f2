/**
 * Numbers in an order of their own, as ascending stretches: sequences as they went out, as ascending stretches: 0 1 2 2 4 3 is [0,2] [2,2] [4,4] [3,3]. Short for a client
 * that was treated well, and exact for one that was not: copies, holes and swaps can all be read from it.
 */

/** First and last number of a stretch, both inclusive. */
export type SequenceRange = [first: number, last: number]

export function appendSequence(ranges: SequenceRange[], sequence: number): void {
  const last = ranges.at(-1)
  if (last !== undefined && last[1] + 1 === sequence) last[1] = sequence
  else ranges.push([sequence, sequence])
}

/** Takes the last `count` numbers away; returns how many there were to take. */
export function removeLast(ranges: SequenceRange[], count: number): number {
  let removed = 0
  while (removed < count) {
    const last = ranges.at(-1)
    if (last === undefined) break
    const taken = Math.min(count - removed, last[1] - last[0] + 1)
    last[1] -= taken
    removed += taken
    if (last[1] < last[0]) ranges.pop()
  }
  return removed
}

export function sequenceRanges(sequences: Iterable<number>): SequenceRange[] {
  const ranges: SequenceRange[] = []
  for (const sequence of sequences) appendSequence(ranges, sequence)
  return ranges
}

/** Every sequence of the ranges, in their order. */
export const expandRanges = (ranges: readonly SequenceRange[]): number[] =>
  ranges.flatMap(([first, last]) => Array.from({ length: last - first + 1 }, (_, index) => first + index))
