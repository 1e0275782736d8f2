/**
 * The grammar of `--fail-if`, and its judge: which change from before to after is one too many.
 *
 *   changes = change { "," change }
 *   change  = figure operator sign number [ "%" | unit ]       p99>+10%, p50>+5ms, lost>+0, rate<-5%
 *
 * Figures are those of THRESHOLDS. A figure that was there before and is not there, or not reached, after is the worst change there is.
 */
import { type CheckParts, Mistake, type Operator, parseCheckList } from '../check-list.ts'
import { holds } from '../checks.ts'
import { type Reading, readFigure } from '../figure-reading.ts'
import { type FigureReference, parseFigure, unitOf } from '../figure-reference.ts'
import type { Figures, FigureUnit } from '../figures.ts'
import { formatInUnit, formatShare } from '../format.ts'
import { parseFixed } from '../thresholds.ts'
import { median } from './permutation-test.ts'

export interface ForbiddenChange {
  readonly text: string
  readonly figure: FigureReference
  readonly operator: Operator
  /** Of the figure's own unit, or a share of the figure before. */
  readonly limit: { readonly kind: 'absolute' | 'relative'; readonly value: number }
}

export interface ChangeCheck {
  readonly text: string
  readonly isForbidden: boolean
  /** What was found, in words. */
  readonly found: string
}

/** Throws FanfareError settings-invalid with the place of each mistake. */
export const parseFailIf = (text: string): ForbiddenChange[] => parseCheckList('--fail-if', text, readChange)

const CHANGE = /^([+-]\s*)(\d+(?:\.\d+)?)(\s*)(.*)$/s

function readChange({ name, nameAt, operator, limit, limitAt }: CheckParts): ForbiddenChange {
  const figure = parseFigure(name, nameAt)
  const [, sign, digits, gap = '', suffix = ''] = CHANGE.exec(limit) ?? []
  if (sign === undefined || digits === undefined) throw new Mistake(limitAt, 'expected a change with its sign, such as `+10%` or `-5ms`')
  const number = Number(digits) * (sign.startsWith('-') ? -1 : 1)
  const text = `${name}${operator}${limit.replaceAll(/\s/g, '')}`
  if (suffix === '%') return { text, figure, operator, limit: { kind: 'relative', value: number / 100 } }
  const suffixAt = limitAt + sign.length + digits.length + gap.length
  return { text, figure, operator, limit: { kind: 'absolute', value: parseFixed(number, suffix, suffixAt, name, unitOf(figure)) } }
}

/** `before` and `after`: the figures of each run. */
export function judgeChange(forbidden: ForbiddenChange, before: readonly Figures[], after: readonly Figures[]): ChangeCheck {
  const { text, figure, operator, limit } = forbidden
  const from = medianOf(figure, before)
  const to = medianOf(figure, after)
  if (typeof from === 'string' && typeof to === 'string') return { text, isForbidden: true, found: `there is no such figure: ${to}` }
  if (typeof to === 'string') return { text, isForbidden: true, found: `after: ${to}` }
  if (typeof from === 'string') return { text, isForbidden: true, found: `before: ${from}` }
  const change = changeBetween(from, to, limit.kind)
  return { text, isForbidden: holds(change, operator, limit.value), found: describeChange(from, to, unitOf(figure)) }
}

/** The median over runs, or why a run has no such figure. */
function medianOf(figure: FigureReference, runs: readonly Figures[]): number | string {
  const readings: Reading[] = runs.map((figures) => readFigure(figure, figures))
  const missing = readings.find((reading) => !('value' in reading))
  if (missing !== undefined && 'why' in missing) return missing.why
  return median(readings.map((reading) => ('value' in reading ? reading.value : Number.NaN)))
}

/** Relative to nothing, any growth is without end. */
function changeBetween(from: number, to: number, kind: 'absolute' | 'relative'): number {
  if (kind === 'absolute') return to - from
  if (from === 0) return to === 0 ? 0 : Math.sign(to) * Number.POSITIVE_INFINITY
  return (to - from) / Math.abs(from)
}

function describeChange(from: number, to: number, unit: FigureUnit): string {
  const relative = from === 0 ? '' : ` (${signed((to - from) / Math.abs(from), formatShare)})`
  return `${formatInUnit(from, unit)} → ${formatInUnit(to, unit)}${relative}`
}

/** `+5 ms`, `−3 %`, `0 %`. */
export const signed = (value: number, format: (size: number) => string): string => {
  if (value === 0) return format(0)
  return `${value > 0 ? '+' : '−'}${format(Math.abs(value))}`
}
