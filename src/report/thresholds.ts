/**
 * The grammar of THRESHOLDS: text in, checks to be made out. It knows which figures exist and what may be asked of them;
 * it knows no run (`checks.ts` judges).
 *
 *   thresholds = check { "," check }
 *   check      = figure operator limit          p99<250ms, lost==0, ready==100%, rate>=0.99*asked
 *   figure     = value | [ distribution "." ] ( "min" | "mean" | "max" | "p" number )
 *   operator   = "<" | "<=" | ">" | ">=" | "==" | "!="
 *   limit      = number [ "us" | "ms" | "s" | "/s" | "%" ] | number "*" value
 */
import { FanfareError } from '../errors.ts'
import { msToUs, secondsToUs } from '../units.ts'
import {
  type DistributionName,
  distributionNames,
  type FigureUnit,
  type ValueName,
  valueFigure,
  valueFigures,
  valueNames,
} from './figures.ts'

/** What every run is held to, unless THRESHOLDS names the same figure again. */
export const DEFAULT_THRESHOLDS = 'lost==0, missed==0, ready==100%'

const operators = ['<', '<=', '>', '>=', '==', '!='] as const
export type Operator = (typeof operators)[number]

/** `percentile` is between 0 and 100, both excluded. */
export type Statistic = { readonly kind: 'min' | 'mean' | 'max' } | { readonly kind: 'percentile'; readonly percentile: number }

export type FigureReference =
  | { readonly kind: 'value'; readonly value: ValueName }
  | { readonly kind: 'statistic'; readonly distribution: DistributionName; readonly statistic: Statistic }

/** A fixed limit (microseconds, a count, or per second), or a share of another figure. */
export type Limit =
  | { readonly kind: 'fixed'; readonly value: number }
  | { readonly kind: 'share'; readonly ratio: number; readonly of: ValueName }

export interface Threshold {
  /** The check as it was written, without spaces. */
  readonly text: string
  /** The figure's full name: `delivery.p99` for `p99`. */
  readonly name: string
  readonly figure: FigureReference
  readonly operator: Operator
  readonly limit: Limit
}

/** A mistake and where it is in the text. */
class Mistake extends Error {
  readonly at: number
  constructor(at: number, message: string) {
    super(message)
    this.at = at
  }
}

/**
 * The checks to be made: the defaults, except those whose figure `text` names again, then what `text` asks for.
 * Throws FanfareError settings-invalid that shows every mistake with its position.
 */
export function parseThresholds(text: string): Threshold[] {
  const asked = parseChecks(text)
  const named = new Set(asked.map((threshold) => threshold.name))
  return [...parseChecks(DEFAULT_THRESHOLDS).filter((threshold) => !named.has(threshold.name)), ...asked]
}

function parseChecks(text: string): Threshold[] {
  if (text.trim() === '') return []
  const mistakes: Mistake[] = []
  const thresholds: Threshold[] = []
  let at = 0
  for (const part of text.split(',')) {
    try {
      thresholds.push(parseCheck(part, at))
    } catch (error) {
      if (!(error instanceof Mistake)) throw error
      mistakes.push(error)
    }
    at += part.length + 1
  }
  if (mistakes.length > 0) throw new FanfareError('settings-invalid', mistakes.map((mistake) => pointAt(text, mistake)).join('\n'))
  return thresholds
}

/** The sentence, the text, and a caret under the mistake. Line ends and tabs become spaces so that the caret stays in place. */
const pointAt = (text: string, { at, message }: Mistake): string =>
  `THRESHOLDS, character ${at + 1}: ${message}\n  ${text.replaceAll(/\s/g, ' ')}\n  ${' '.repeat(at)}^`

const CHECK = /^(\s*)([^\s<>=!]*)(\s*)([<>=!]*)(\s*)(.*?)\s*$/s

/** `offset` is where `part` begins in the whole text. */
function parseCheck(part: string, offset: number): Threshold {
  const [, lead = '', name = '', gap = '', operator = '', gap2 = '', limit = ''] = CHECK.exec(part)!
  const nameAt = offset + lead.length
  const operatorAt = nameAt + name.length + gap.length
  const limitAt = operatorAt + operator.length + gap2.length
  if (name === '') throw new Mistake(nameAt, 'expected a figure, such as `p99` or `lost`')
  const figure = parseFigure(name, nameAt)
  if (!isOperator(operator)) throw new Mistake(operatorAt, expectedOperator(operator))
  return {
    text: `${name}${operator}${limit.replaceAll(/\s/g, '')}`,
    name: figureName(figure),
    figure,
    operator,
    limit: parseLimit(limit, limitAt, name, figure),
  }
}

const isOperator = (text: string): text is Operator => (operators as readonly string[]).includes(text)

const expectedOperator = (found: string): string =>
  found === '='
    ? 'expected `==`; a single `=` is no comparison'
    : `expected one of ${operators.join(' ')}${found === '' ? '' : `, got \`${found}\``}`

/** Names are compared without case, dashes and underscores: `out_of_order` is `outOfOrder`. */
const plain = (name: string): string => name.toLowerCase().replaceAll(/[-_]/g, '')
const valueByPlainName = new Map(valueNames.map((name) => [plain(name), name]))
const distributionByPlainName = new Map(distributionNames.map((name) => [plain(name), name]))

function parseFigure(text: string, at: number): FigureReference {
  const value = valueByPlainName.get(plain(text))
  if (value !== undefined) return { kind: 'value', value }

  const dot = /^[a-z_-]+\./i.exec(text)?.[0] ?? ''
  const distribution = dot === '' ? 'delivery' : distributionByPlainName.get(plain(dot.slice(0, -1)))
  if (distribution === undefined) {
    throw new Mistake(at, `unknown distribution \`${dot.slice(0, -1)}\`; there are ${distributionNames.join(', ')}`)
  }
  const statistic = parseStatistic(text.slice(dot.length), at + dot.length)
  if (statistic !== undefined) return { kind: 'statistic', distribution, statistic }
  if (dot !== '') {
    throw new Mistake(at + dot.length, `expected \`min\`, \`mean\`, \`max\` or a percentile such as \`p99\` after \`${dot}\``)
  }
  throw new Mistake(
    at,
    `unknown figure \`${text}\`; there are percentiles (p50, p99.9, completion.p99), min, mean, max, and ${Object.keys(valueFigures).join(', ')}`,
  )
}

function parseStatistic(text: string, at: number): Statistic | undefined {
  const name = text.toLowerCase()
  if (name === 'min' || name === 'mean' || name === 'max') return { kind: name }
  const digits = /^p(\d+(?:\.\d+)?)$/.exec(name)?.[1]
  if (digits === undefined) return undefined
  const percentile = Number(digits)
  if (percentile <= 0 || percentile >= 100)
    throw new Mistake(at, 'a percentile lies between 0 and 100, both excluded; there are `min` and `max`')
  return { kind: 'percentile', percentile }
}

const figureName = (figure: FigureReference): string => {
  if (figure.kind === 'value') return figure.value
  const { statistic } = figure
  return `${figure.distribution}.${statistic.kind === 'percentile' ? `p${statistic.percentile}` : statistic.kind}`
}

const unitOf = (figure: FigureReference): FigureUnit => (figure.kind === 'value' ? valueFigure(figure.value).unit : 'us')

const LIMIT = /^(-?\d+(?:\.\d+)?|)(\s*)(.*)$/s

function parseLimit(text: string, at: number, name: string, figure: FigureReference): Limit {
  const [, digits = '', gap = '', suffix = ''] = LIMIT.exec(text)!
  if (digits === '') throw new Mistake(at, `expected a number${text === '' ? '' : `, got \`${text}\``}`)
  const number = Number(digits)
  const suffixAt = at + digits.length + gap.length
  if (suffix === '%' || suffix.startsWith('*')) return parseShare(number, suffix, suffixAt, name, figure)
  return { kind: 'fixed', value: parseFixed(number, suffix, suffixAt, name, unitOf(figure)) }
}

function parseShare(number: number, suffix: string, at: number, name: string, figure: FigureReference): Limit {
  const of = figure.kind === 'value' ? (valueFigure(figure.value).of as ValueName | undefined) : undefined
  if (of === undefined) throw new Mistake(at, `\`${name}\` is not a share of anything, so it takes no \`${suffix}\``)
  if (suffix === '%') return { kind: 'share', ratio: number / 100, of }
  const asked = suffix.slice(1).trim()
  if (plain(asked) !== plain(of)) throw new Mistake(at + 1, `\`${name}\` is compared with \`${of}\`, got \`${asked}\``)
  return { kind: 'share', ratio: number, of }
}

function parseFixed(number: number, suffix: string, at: number, name: string, unit: FigureUnit): number {
  if (unit === 'us') return parseTime(number, suffix, at, name)
  if (suffix === '' || (suffix === '/s' && unit === 'perSecond')) return number
  throw new Mistake(at, `\`${name}\` is a ${unit === 'count' ? 'count' : 'rate'}, so it takes no \`${suffix}\``)
}

function parseTime(number: number, suffix: string, at: number, name: string): number {
  if (suffix === 'us' || suffix === 'µs' || suffix === 'μs') return number
  if (suffix === 'ms') return msToUs(number)
  if (suffix === 's') return secondsToUs(number)
  throw new Mistake(at, `\`${name}\` is a time and needs a unit (us, ms or s)${suffix === '' ? '' : `, got \`${suffix}\``}`)
}
