/**
 * Judges thresholds on the figures of one run. Pure. What never came counts as infinitely late, and a figure that is not
 * there breaks its check: silence is never a pass.
 */
import { type Distribution, type Figures, type FigureUnit, valueFigure } from './figures.ts'
import { formatCount, formatDuration, formatRate } from './format.ts'
import type { Operator, Statistic, Threshold } from './thresholds.ts'

/** A percentile is told only when at least this many samples lie beyond it: fewer are an anecdote. */
export const MIN_TAIL_SAMPLES = 10

/** Shares and rates are quotients, so equality allows for their rounding. */
const RELATIVE_TOLERANCE = 1e-12

export interface Check {
  /** As it was asked for: `p99<250ms`. */
  name: string
  ok: boolean
  unit: FigureUnit
  /** The limit in `unit`; absent when the figure it is a share of is unknown. */
  limit?: number
  /** The figure in `unit`; absent when it is unknown or not reached. */
  actual?: number
  /** Why there is no figure to compare. */
  why?: string
}

/** A figure, or the reason why there is none. */
type Reading = { readonly value: number } | { readonly why: string }

export function judge(threshold: Threshold, figures: Figures): Check {
  const { figure, operator, text } = threshold
  const unit = figure.kind === 'value' ? valueFigure(figure.value).unit : 'us'
  const limit = readLimit(threshold, figures)
  const actual = figure.kind === 'value' ? readValue(figure.value, figures) : readStatistic(threshold, figures)
  const ok = 'value' in limit && 'value' in actual && holds(actual.value, operator, limit.value)
  const check: Check = { name: text, ok, unit }
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

const formatInUnit = (value: number, unit: FigureUnit): string => {
  if (unit === 'us') return formatDuration(value)
  return unit === 'count' ? formatCount(value) : formatRate(value)
}

const readValue = (name: keyof Figures['values'], figures: Figures): Reading => {
  const value = figures.values[name]
  return value === undefined ? { why: `this run knows no \`${name}\`` } : { value }
}

function readLimit({ limit }: Threshold, figures: Figures): Reading {
  if (limit.kind === 'fixed') return limit
  const whole = readValue(limit.of, figures)
  return 'value' in whole ? { value: limit.ratio * whole.value } : whole
}

function readStatistic({ figure, name }: Threshold, figures: Figures): Reading {
  if (figure.kind !== 'statistic') return { why: `\`${name}\` is no statistic` }
  const distribution = figures.distributions[figure.distribution]
  if (distribution === undefined || distribution.count + distribution.missing === 0) return { why: `this run knows no \`${name}\`` }
  return readFrom(distribution, figure.statistic, name)
}

function readFrom(distribution: Distribution, statistic: Statistic, name: string): Reading {
  const { count, missing } = distribution
  if (statistic.kind === 'percentile') return readPercentile(distribution, statistic.percentile, name)
  if (statistic.kind !== 'min' && missing > 0)
    return { why: `not reached: ${formatCount(missing)} of ${formatCount(count + missing)} never came` }
  const value = distribution[statistic.kind]
  return value === undefined ? { why: `not reached: none of ${formatCount(missing)} came` } : { value }
}

/** Nearest rank over what came and what did not. */
function readPercentile(distribution: Distribution, percentile: number, name: string): Reading {
  const { count, missing } = distribution
  const total = count + missing
  const rank = nearestRank(total, percentile)
  if (rank > count) return { why: `not reached: ${formatCount(missing)} of ${formatCount(total)} never came` }
  if (!isTailLongEnough(total, percentile)) {
    return { why: `\`${name}\` needs ${formatCount(samplesNeeded(percentile))} samples, there are ${formatCount(total)}` }
  }
  return { value: distribution.valueAtRank(rank) }
}

/** 1 to `total`; the product is rounded to 12 digits so that 99.9 % of 1,000 is 999 and not a hair more. */
export const nearestRank = (total: number, percentile: number): number =>
  Math.max(1, Math.ceil(Number(((total * percentile) / 100).toPrecision(12))))

export const isTailLongEnough = (total: number, percentile: number): boolean =>
  Number(((total * (100 - percentile)) / 100).toPrecision(12)) >= MIN_TAIL_SAMPLES

const samplesNeeded = (percentile: number): number => Math.ceil(Number(((MIN_TAIL_SAMPLES * 100) / (100 - percentile)).toPrecision(12)))

function holds(actual: number, operator: Operator, limit: number): boolean {
  const isEqual = Math.abs(actual - limit) <= RELATIVE_TOLERANCE * Math.max(Math.abs(actual), Math.abs(limit))
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
