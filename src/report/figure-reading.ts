/**
 * Reads one figure of a run, or says why there is none. What never came counts as infinitely late, and a percentile that too few samples
 * lie beyond is no figure.
 */
import { MIN_TAIL_SAMPLES, percentile } from '../measure/percentiles.ts'
import { type FigureReference, figureName, type Statistic } from './figure-reference.ts'
import type { Distribution, Figures } from './figures.ts'
import { formatCount } from './format.ts'

/** A figure (microseconds, a count, or per second), or the reason why there is none. */
export type Reading = { readonly value: number } | { readonly why: string; readonly isNotReached?: boolean }

export const readFigure = (figure: FigureReference, figures: Figures): Reading =>
  figure.kind === 'value' ? readValue(figure.value, figures) : readStatistic(figure, figures)

export const readValue = (name: keyof Figures['values'], figures: Figures): Reading => {
  const value = figures.values[name]
  return value === undefined ? { why: `this run knows no \`${name}\`` } : { value }
}

function readStatistic(figure: FigureReference & { kind: 'statistic' }, figures: Figures): Reading {
  const name = figureName(figure)
  const distribution = figures.distributions[figure.distribution]
  if (distribution === undefined || sizeOf(distribution) === 0) return { why: `this run knows no \`${name}\`` }
  return readFrom(distribution, figure.statistic, name)
}

/** Samples that came and samples that did not. */
const sizeOf = ({ histogram, missing }: Distribution): number => histogram.count + missing

function readFrom(distribution: Distribution, statistic: Statistic, name: string): Reading {
  const { histogram, missing } = distribution
  if (statistic.kind === 'percentile') return readPercentile(distribution, statistic.percentile, name)
  if (statistic.kind !== 'min' && missing > 0) return notReached(distribution)
  const value = histogram[statistic.kind]
  return value === undefined ? notReached(distribution) : { value }
}

/** Nearest rank over what came and what did not. */
function readPercentile(distribution: Distribution, percent: number, name: string): Reading {
  const ratio = percent / 100
  const value = percentile(distribution.histogram, ratio, distribution.missing)
  if (value === undefined || value === Number.POSITIVE_INFINITY) return notReached(distribution)
  const size = sizeOf(distribution)
  // The product is rounded to 12 digits, so that 0.1 % of 10,000 is 10 and not a hair less.
  const beyond = Number((size * (1 - ratio)).toPrecision(12))
  if (beyond >= MIN_TAIL_SAMPLES) return { value }
  const needed = Math.ceil(Number((MIN_TAIL_SAMPLES / (1 - ratio)).toPrecision(12)))
  return { why: `\`${name}\` needs ${formatCount(needed)} samples, there are ${formatCount(size)}` }
}

const notReached = (distribution: Distribution): Reading => ({
  isNotReached: true,
  why: `not reached: ${formatCount(distribution.missing)} of ${formatCount(sizeOf(distribution))} never came`,
})
