/**
 * The headline chart as inline SVG: percentile curves with a logarithmic tail, readable without JavaScript and on paper. Colours come
 * from the page's style.
 */
import { formatDuration } from '../format.ts'
import type { Curve } from './curves.ts'
import { html, type Markup } from './markup.ts'

const WIDTH = 760
const HEIGHT = 300
const MARGIN = { top: 12, right: 16, bottom: 44, left: 66 }
const PLOT_WIDTH = WIDTH - MARGIN.left - MARGIN.right
const PLOT_HEIGHT = HEIGHT - MARGIN.top - MARGIN.bottom

const tailTicks: readonly [tail: number, label: string][] = [
  [1, '0 %'],
  [0.5, '50 %'],
  [0.1, '90 %'],
  [0.01, '99 %'],
  [0.001, '99.9 %'],
  [0.000_1, '99.99 %'],
  [0.000_01, '99.999 %'],
  [0.000_001, '99.9999 %'],
  [0.000_000_1, '99.99999 %'],
]

interface Scales {
  x(tail: number): number
  y(us: number): number
}

export function percentileSvg(curves: readonly Curve[]): Markup {
  const points = curves.flatMap((curve) => curve.points)
  if (points.length === 0) return html`<p class="absent">There are too few samples to draw percentiles.</p>`
  const smallestTail = Math.min(...points.map(([tail]) => tail))
  const values = points.map(([, us]) => Math.max(1, us))
  const ticksUs = durationTicks(Math.min(...values), Math.max(...values))
  const scales = scalesFor(smallestTail, ticksUs)
  return html`<svg class="percentiles" viewBox="0 0 ${WIDTH} ${HEIGHT}" role="img" aria-label="${describe(curves)}">
${xAxis(scales, smallestTail)}${yAxis(scales, ticksUs)}
${curves.map((curve) => html`<path class="curve ${curve.name}" d="${path(curve, scales)}"/>`)}
${curves.map((curve, index) => legendEntry(curve.name, curves.length - index))}
<text class="axis" x="${MARGIN.left + PLOT_WIDTH / 2}" y="${HEIGHT - 6}" text-anchor="middle">share heard within the time on the left</text>
</svg>`
}

function scalesFor(smallestTail: number, ticksUs: readonly number[]): Scales {
  const decades = Math.max(1, -Math.log10(smallestTail))
  const [bottom, top] = [Math.log10(ticksUs[0]!), Math.log10(ticksUs.at(-1)!)]
  return {
    x: (tail) => round(MARGIN.left + (-Math.log10(tail) / decades) * PLOT_WIDTH),
    y: (us) => round(MARGIN.top + (1 - (Math.log10(Math.max(us, ticksUs[0]!)) - bottom) / (top - bottom)) * PLOT_HEIGHT),
  }
}

/** 1, 2 and 5 times powers of ten that enclose all values; at least two. */
function durationTicks(smallestUs: number, largestUs: number): number[] {
  const all = Array.from({ length: 11 }, (_, decade) => [1, 2, 5].map((step) => step * 10 ** decade)).flat()
  const first = Math.max(
    0,
    all.findLastIndex((us) => us <= smallestUs),
  )
  const last = Math.max(
    first + 1,
    all.findIndex((us) => us >= largestUs),
  )
  return all.slice(first, last + 1)
}

const xAxis = ({ x }: Scales, smallestTail: number): Markup[] =>
  tailTicks
    .filter(([tail]) => tail >= smallestTail * 0.999)
    .map(
      ([tail, label]) => html`<line class="grid" x1="${x(tail)}" x2="${x(tail)}" y1="${MARGIN.top}" y2="${MARGIN.top + PLOT_HEIGHT}"/>
<text class="tick" x="${x(tail)}" y="${MARGIN.top + PLOT_HEIGHT + 16}" text-anchor="middle">${label}</text>`,
    )

const yAxis = ({ y }: Scales, ticksUs: readonly number[]): Markup[] =>
  ticksUs.map(
    (us) => html`<line class="grid" x1="${MARGIN.left}" x2="${MARGIN.left + PLOT_WIDTH}" y1="${y(us)}" y2="${y(us)}"/>
<text class="tick" x="${MARGIN.left - 8}" y="${y(us) + 4}" text-anchor="end">${formatDuration(us)}</text>`,
  )

const path = ({ points }: Curve, { x, y }: Scales): string =>
  points.map(([tail, us], index) => `${index === 0 ? 'M' : 'L'}${x(tail)} ${y(us)}`).join('')

/** In the lower right corner, which curves that rise to the right leave free; `place` counts lines from below. */
const legendEntry = (name: string, place: number): Markup => {
  const x = MARGIN.left + PLOT_WIDTH - 130
  const y = MARGIN.top + PLOT_HEIGHT - place * 18
  return html`<path class="curve ${name}" d="M${x} ${y}h22"/><text class="legend" x="${x + 28}" y="${y + 4}">${name}</text>`
}

/** What a reader who does not see the chart should know of it. */
const describe = (curves: readonly Curve[]): string =>
  `Percentile curves: ${curves
    .map(({ name, points }) => {
      const [tail, us] = points.at(-1)!
      return `${name} up to ${formatDuration(us)} at ${Number((100 * (1 - tail)).toPrecision(6))} %`
    })
    .join('; ')}`

const round = (value: number): number => Math.round(value * 10) / 10
