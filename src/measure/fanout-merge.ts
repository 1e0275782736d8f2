/**
 * Adds fan-out rows by their key (stream, sequence): the first of the firsts, the last of the lasts, the sum of the counts. Rows stay
 * in columns, since there may be a million.
 */
import type { FanoutRows } from './snapshot.ts'

export const fanoutColumns = ['stream', 'sequence', 'intendedUs', 'sentUs', 'firstUs', 'lastUs', 'count'] as const

export const NO_FANOUT: FanoutRows = {
  stream: [],
  sequence: [],
  intendedUs: [],
  sentUs: [],
  firstUs: [],
  lastUs: [],
  count: [],
}

export type FanoutColumns = { -readonly [K in keyof FanoutRows]: Float64Array }

/** Columns of zeros. */
export const newFanoutColumns = (rows: number): FanoutColumns => ({
  stream: new Float64Array(rows),
  sequence: new Float64Array(rows),
  intendedUs: new Float64Array(rows),
  sentUs: new Float64Array(rows),
  firstUs: new Float64Array(rows),
  lastUs: new Float64Array(rows),
  count: new Float64Array(rows),
})

/** Both sides are ascending by key, and so is the sum. */
export function mergeFanout(a: FanoutRows, b: FanoutRows): FanoutRows {
  if (a.count.length === 0) return b
  if (b.count.length === 0) return a
  const sum = newFanoutColumns(a.count.length + b.count.length)
  let rows = 0
  let inA = 0
  let inB = 0
  while (inA < a.count.length || inB < b.count.length) {
    const order = compareKeys(a, inA, b, inB)
    if (order < 0) copyRow(sum, rows, a, inA++)
    else if (order > 0) copyRow(sum, rows, b, inB++)
    else {
      copyRow(sum, rows, a, inA++)
      joinRow(sum, rows, b, inB++)
    }
    rows++
  }
  return firstRows(sum, rows)
}

/** Puts rows of different streams one after the other; the parts come in the order of their streams. */
export function joinFanouts(parts: readonly FanoutRows[]): FanoutRows {
  const filled = parts.filter((part) => part.count.length > 0)
  if (filled.length < 2) return filled[0] ?? NO_FANOUT
  const joined = newFanoutColumns(filled.reduce((rows, part) => rows + part.count.length, 0))
  let at = 0
  for (const part of filled) {
    for (const column of fanoutColumns) joined[column].set(part[column], at)
    at += part.count.length
  }
  return joined
}

function compareKeys(a: FanoutRows, inA: number, b: FanoutRows, inB: number): number {
  if (inA >= a.count.length) return 1
  if (inB >= b.count.length) return -1
  return a.stream[inA]! - b.stream[inB]! || a.sequence[inA]! - b.sequence[inB]!
}

function copyRow(to: FanoutColumns, at: number, from: FanoutRows, row: number): void {
  for (const column of fanoutColumns) to[column][at] = from[column][row]!
}

function joinRow(to: FanoutColumns, at: number, from: FanoutRows, row: number): void {
  // Copies of a re-sent probe differ in both; the earlier is the one that was planned.
  to.intendedUs[at] = Math.min(to.intendedUs[at]!, from.intendedUs[row]!)
  to.sentUs[at] = Math.min(to.sentUs[at]!, from.sentUs[row]!)
  to.firstUs[at] = Math.min(to.firstUs[at]!, from.firstUs[row]!)
  to.lastUs[at] = Math.max(to.lastUs[at]!, from.lastUs[row]!)
  to.count[at]! += from.count[row]!
}

/** A copy when there is something to cut off: a view would drag its whole buffer along between threads. */
function firstRows(columns: FanoutColumns, rows: number): FanoutRows {
  if (columns.count.length === rows) return columns
  const kept = newFanoutColumns(0)
  for (const column of fanoutColumns) kept[column] = columns[column].slice(0, rows)
  return kept
}
