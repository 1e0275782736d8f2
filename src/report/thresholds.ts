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
import { msToUs, secondsToUs } from '../units.ts'
import { type CheckParts, Mistake, type Operator, parseCheckList } from './check-list.ts'
import { type FigureReference, figureName, parseFigure, plain, unitOf } from './figure-reference.ts'
import { type FigureUnit, type ValueName, valueFigure } from './figures.ts'

/** What every run is held to, unless THRESHOLDS names the same figure again. */
const DEFAULT_THRESHOLDS = 'lost==0, missed==0, ready==100%'

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

/**
 * The checks to be made: the defaults, except those whose figure `text` names again, then what `text` asks for.
 * Throws FanfareError settings-invalid that shows every mistake with its position.
 */
export function parseThresholds(text: string): Threshold[] {
  const asked = parseCheckList('THRESHOLDS', text, readThreshold)
  const named = new Set(asked.map((threshold) => threshold.name))
  const defaults = parseCheckList('THRESHOLDS', DEFAULT_THRESHOLDS, readThreshold)
  return [...defaults.filter((threshold) => !named.has(threshold.name)), ...asked]
}

function readThreshold({ name, nameAt, operator, limit, limitAt }: CheckParts): Threshold {
  const figure = parseFigure(name, nameAt)
  return {
    text: `${name}${operator}${limit.replaceAll(/\s/g, '')}`,
    name: figureName(figure),
    figure,
    operator,
    limit: parseLimit(limit, limitAt, name, figure),
  }
}

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

/** A number with its unit, in the figure's own unit; `suffix` stands at `at`. Throws Mistake. */
export function parseFixed(number: number, suffix: string, at: number, name: string, unit: FigureUnit): number {
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
