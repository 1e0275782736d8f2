/**
 * Names of figures as people write them in checks (`p99.9`, `completion.max`, `out_of_order`) made into references, and back
 * into one full name each.
 */
import { Mistake } from './check-list.ts'
import {
  type DistributionName,
  distributionNames,
  type FigureUnit,
  type ValueName,
  valueFigure,
  valueFigures,
  valueNames,
} from './figures.ts'

/** `percentile` is between 0 and 100, both excluded. */
export type Statistic = { readonly kind: 'min' | 'mean' | 'max' } | { readonly kind: 'percentile'; readonly percentile: number }

export type FigureReference =
  | { readonly kind: 'value'; readonly value: ValueName }
  | { readonly kind: 'statistic'; readonly distribution: DistributionName; readonly statistic: Statistic }

/** Names are compared without case, dashes and underscores: `out_of_order` is `outOfOrder`. */
export const plain = (name: string): string => name.toLowerCase().replaceAll(/[-_]/g, '')
const valueByPlainName = new Map(valueNames.map((name) => [plain(name), name]))
const distributionByPlainName = new Map(distributionNames.map((name) => [plain(name), name]))

/** `at` is where the name stands in the text. Throws Mistake. */
export function parseFigure(text: string, at: number): FigureReference {
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

/** `delivery.p99` for `p99`. */
export const figureName = (figure: FigureReference): string => {
  if (figure.kind === 'value') return figure.value
  const { statistic } = figure
  return `${figure.distribution}.${statistic.kind === 'percentile' ? `p${statistic.percentile}` : statistic.kind}`
}

export const unitOf = (figure: FigureReference): FigureUnit => (figure.kind === 'value' ? valueFigure(figure.value).unit : 'us')
