/** A comparison in words: what every output of it says the same way. */
import { formatBytes, formatCounted, formatDurationS, formatInUnit, formatShare } from '../format.ts'
import type { Comparison, FigureChange, Side } from './compare.ts'
import type { ComparedFigure } from './compared-figures.ts'
import { signed } from './fail-if.ts'
import { MIN_RUNS } from './permutation-test.ts'

/** Below this p-value a difference is called one. */
const SIGNIFICANT = 0.05

export const sideText = ({ label, reports }: Side): string => {
  const outcomes = [...new Set(reports.map(({ verdict }) => verdict.outcome))].join(', ')
  return `${label} (${formatCounted(reports.length, 'run')}, ${outcomes})`
}

function valueText({ unit }: ComparedFigure, value: number | undefined): string {
  if (value === undefined) return '–'
  if (unit === 'bytes') return formatBytes(value)
  return unit === 'seconds' ? formatDurationS(value) : formatInUnit(value, unit)
}

/** The median, and the range when there are several runs. */
export function sideValueText({ figure, before, after, beforeMedian, afterMedian }: FigureChange, side: 'before' | 'after'): string {
  const values = side === 'before' ? before : after
  const text = valueText(figure, side === 'before' ? beforeMedian : afterMedian)
  if (values.length < 2) return text
  return `${text} (${valueText(figure, Math.min(...values))} … ${valueText(figure, Math.max(...values))})`
}

/** `+20 ms, +377 %`; `=` when nothing changed; empty when one side does not know the figure. */
export function changeText({ figure, change, relativeChange }: FigureChange): string {
  if (change === undefined) return ''
  if (change === 0) return '='
  const relative = relativeChange === undefined ? '' : `, ${signed(relativeChange, formatShare)}`
  return `${signed(change, (size) => valueText(figure, size))}${relative}`
}

/** Only a test can tell a difference from chance; without one nothing is claimed. */
export function judgementText({ figure, change, pValue }: FigureChange): string {
  if (pValue === undefined || change === undefined) return ''
  const p = `p = ${Number(pValue.toPrecision(2))}`
  if (pValue >= SIGNIFICANT || change === 0) return p
  return `${change < 0 === (figure.better === 'lower') ? 'better' : 'worse'}, ${p}`
}

export const isSame = ({ changes, differences }: Comparison): boolean =>
  differences.length === 0 && changes.every(({ change }) => change === 0)

/** What a reader must know before concluding anything. */
export function caveatText({ isTested, changes }: Comparison): string {
  if (!isTested) {
    return `With fewer than ${MIN_RUNS} runs on a side a difference may be chance: compare folders of runs, made in turn on the same machine.`
  }
  const expected = Math.max(1, Math.round(changes.length * SIGNIFICANT))
  return (
    'Permutation test on rank sums, two-sided; its unit is the run. It assumes that, had nothing changed, any run could have stood on either side ' +
    `(made in turn, same machine). Of ${changes.length} figures about ${expected} would fall below p = ${SIGNIFICANT} by chance alone.`
  )
}
