/**
 * Judges thresholds on the figures of one run. Pure. What never came counts as infinitely late, and a figure that is not
 * there breaks its check: silence is never a pass.
 */
import type { Operator } from './check-list.ts'
import { type Reading, readFigure, readValue } from './figure-reading.ts'
import { unitOf } from './figure-reference.ts'
import type { Figures, FigureUnit } from './figures.ts'
import { formatInUnit } from './format.ts'
import type { Threshold } from './thresholds.ts'

/** Shares and rates are quotients, so equality allows for their rounding. */
const RELATIVE_TOLERANCE = 1e-12

export interface Check {
  /** As it was asked for: `p99<250ms`. */
  name: string
  ok: boolean
  unit: FigureUnit
  /** The limit in `unit`; absent when the figure it is a share of is unknown. */
  limit?: number | undefined
  /** The figure in `unit`; absent when it is unknown or not reached. */
  actual?: number | undefined
  /** Why there is no figure to compare. */
  why?: string | undefined
}

export function judge(threshold: Threshold, figures: Figures): Check {
  const { figure, operator, text } = threshold
  const limit = readLimit(threshold, figures)
  const actual = readFigure(figure, figures)
  const ok = 'value' in limit && 'value' in actual && holds(actual.value, operator, limit.value)
  const check: Check = { name: text, ok, unit: unitOf(figure) }
  if ('value' in limit) check.limit = limit.value
  else check.why = limit.why
  if ('value' in actual) check.actual = actual.value
  else check.why = actual.why
  return check
}

/** One line for people: `p99<250ms: 312 ms`, `ready==100%: 870 (limit 1,000)`. */
export function describeCheck({ name, unit, limit, actual, why }: Check): string {
  if (actual === undefined) return `${name}: ${why}`
  const isShare = /[%*]/.test(name)
  return `${name}: ${formatInUnit(actual, unit)}${isShare && limit !== undefined ? ` (limit ${formatInUnit(limit, unit)})` : ''}`
}

function readLimit({ limit }: Threshold, figures: Figures): Reading {
  if (limit.kind === 'fixed') return limit
  const whole = readValue(limit.of, figures)
  return 'value' in whole ? { value: limit.ratio * whole.value } : whole
}

/** Whether `actual operator limit`. */
export function holds(actual: number, operator: Operator, limit: number): boolean {
  const isEqual = Number.isFinite(actual) && Math.abs(actual - limit) <= RELATIVE_TOLERANCE * Math.max(Math.abs(actual), Math.abs(limit))
  switch (operator) {
    case '<':
      return actual < limit && !isEqual
    case '<=':
      return actual < limit || isEqual
    case '>':
      return actual > limit && !isEqual
    case '>=':
      return actual > limit || isEqual
    case '==':
      return isEqual
    case '!=':
      return !isEqual
  }
}
