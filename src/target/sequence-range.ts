/**
 * Sequences in the order they went out, as ascending stretches: 0 1 2 2 4 3 is [0,2] [2,2] [4,4] [3,3]. Short for a client
 * that was treated well, and exact for one that was not: copies, holes and swaps can all be read from it.
 */

/** First and last sequence of a stretch, both inclusive. */
export type SequenceRange = [first: number, last: number]

export function appendSequence(ranges: SequenceRange[], sequence: number): void {
  const last = ranges.at(-1)
  if (last !== undefined && last[1] + 1 === sequence) last[1] = sequence
  else ranges.push([sequence, sequence])
}

export function sequenceRanges(sequences: Iterable<number>): SequenceRange[] {
  const ranges: SequenceRange[] = []
  for (const sequence of sequences) appendSequence(ranges, sequence)
  return ranges
}

/** Every sequence of the ranges, in their order. */
export const expandRanges = (ranges: readonly SequenceRange[]): number[] =>
  ranges.flatMap(([first, last]) => Array.from({ length: last - first + 1 }, (_, index) => first + index))
