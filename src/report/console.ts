/**
 * The summary a run ends with, on one screen: the verdict in words first, then what it rests on. It reads a finished report
 * and decides nothing; where the report landed and what to do next it is told.
 */
import { usToMs } from '../units.ts'
import { describeCheck } from './checks.ts'
import { alignColumns, wrapWords } from './columns.ts'
import { formatCount, formatCounted, formatDuration, formatDurationMs, formatRate, formatShare } from './format.ts'
import { headline } from './headline.ts'
import { makePalette, type Palette } from './palette.ts'
import type { Report, Summary } from './schema.ts'
import { shownStatistics, statisticNames } from './statistic-names.ts'

export interface SummaryOptions {
  readonly isColoured?: boolean
  /** Where the report was written, when it was. */
  readonly reportPath?: string
  /** Width of the terminal, when there is one: sentences are wrapped, and narrow ones get tables without their last column. */
  readonly columns?: number
  /** What to do next, a sentence or a command each. */
  readonly nextSteps?: readonly string[]
}

/** What the latency table takes with all its columns. */
const WIDE_COLUMNS = 90
/** Warnings and replicas beyond this many are counted; all are in the report. */
const MAX_WARNINGS = 8
const MAX_REPLICAS = 10

/** The whole summary, without a trailing newline. */
export function summaryText(report: Report, options: SummaryOptions = {}): string {
  const palette = makePalette(options.isColoured ?? false)
  const screen: Screen = { palette, columns: options.columns ?? Number.POSITIVE_INFINITY }
  const hasFigures = report.verdict.outcome !== 'refused' && report.verdict.outcome !== 'fault'
  const sections = [
    [headlineText(report, screen)],
    hasFigures ? figureLines(report) : [],
    hasFigures ? latencyLines(report, screen) : [],
    hasFigures ? replicaLines(report) : [],
    hasFigures ? checkLines(report, palette) : [],
    furtherReasons(report, screen),
    warningLines(report, screen),
    pathLines(options),
  ]
  return sections
    .filter((lines) => lines.length > 0)
    .map((lines) => lines.join('\n'))
    .join('\n\n')
}

/** The seed tool's two lines: the last on stdout of every run. */
export const seedLines = ({ deliveries, serviceLatencyUs }: Report): string => seedText(deliveries.delivered, serviceLatencyUs.mean)

/** The same for figures without a report: one replica's. */
export function seedText(delivered: number, meanUs: number | undefined): string {
  const meanMs = meanUs === undefined ? 'n/a' : String(Number(usToMs(meanUs).toFixed(3)))
  return `Received ${delivered} messages\nMean delivery time is ${meanMs} ms`
}

interface Screen {
  readonly palette: Palette
  /** Infinite when nobody looks through a terminal: then a sentence stays one line. */
  readonly columns: number
}

/** `label: text`, wrapped, the label painted. */
const sentenceText = (label: string, text: string, { columns }: Screen, paint: (label: string) => string): string =>
  paint(label) + wrapWords(`${label} ${text}`, columns).slice(label.length)

function headlineText(report: Report, screen: Screen): string {
  const { palette } = screen
  const { word, sentence } = headline(report)
  const paint = report.verdict.outcome === 'pass' ? palette.green : report.verdict.outcome === 'interrupted' ? palette.yellow : palette.red
  return sentenceText(`${word}:`, sentence, screen, (label) => palette.bold(paint(label)))
}

function figureLines(report: Report): string[] {
  const rows: [label: string, text: string][] = [
    ['clients', clientsText(report)],
    ['connect', connectText(report)],
    ['publish', publishText(report)],
    ['deliveries', booksText(report)],
    ['', oddText(report)],
    ['load', loadText(report)],
    ['tester', testerText(report)],
  ]
  return alignColumns(
    rows.filter(([, text]) => text !== ''),
    'l',
  )
}

function clientsText({ clients }: Report): string {
  const errors = Object.entries(clients.errorsByCode).map(([code, count]) => `${formatCount(count)} × ${code}`)
  return [
    `${formatCount(clients.wanted)} wanted, ${formatCount(clients.opened)} opened, ${formatCount(clients.ready)} ready`,
    clients.disconnected > 0 ? `${formatCount(clients.disconnected)} disconnected` : '',
    clients.heardNothing !== undefined && clients.heardNothing > 0 ? `${formatCount(clients.heardNothing)} heard nothing` : '',
    errors.length > 0 ? `(${errors.join(', ')})` : '',
  ]
    .filter((text) => text !== '')
    .join(', ')
    .replace(', (', ' (')
}

function connectText({ connect }: Report): string {
  if (connect.ratePerSecond === undefined) return ''
  const open = connect.latencyUs.max === undefined ? '' : `; open within ${formatDuration(connect.latencyUs.max)}`
  return `${formatRate(connect.ratePerSecond)}${open}${acknowledgedText(connect.readyLatencyUs.max)}`
}

/** Acknowledgements that come with the handshake's answer take no time of their own. */
function acknowledgedText(maxUs: number | undefined): string {
  if (maxUs === undefined) return ''
  return maxUs === 0 ? ', acknowledged at once' : `, acknowledged within ${formatDuration(maxUs)} more`
}

function publishText({ publish, pacing }: Report): string {
  if (publish === undefined) return ''
  const asked =
    publish.targetRatePerSecond === undefined
      ? pacing === 'closed'
        ? ' (as fast as confirms allow)'
        : ''
      : ` (asked ${formatRate(publish.targetRatePerSecond)})`
  const fates = (['confirmed', 'returned', 'nacked', 'unknown', 'skipped'] as const)
    .filter((name) => name === 'confirmed' || publish[name] > 0)
    .map((name) => `${formatCount(publish[name])} ${name}`)
  const rate = publish.achievedRatePerSecond === undefined ? '' : ` at ${formatRate(publish.achievedRatePerSecond)}${asked}`
  return `${formatCount(publish.published)} of ${formatCounted(publish.scheduled, 'probe')}${rate}; ${fates.join(', ')}`
}

function booksText({ deliveries }: Report): string {
  const { expected, delivered, missed, lost, unaccounted } = deliveries
  const terms = [`${formatCount(delivered)} delivered`, `${formatCount(missed)} missed`, `${formatCount(lost)} lost`]
  if (unaccounted > 0) terms.push(`${formatCount(unaccounted)} unaccounted`)
  return `${formatCount(expected)} owed = ${terms.join(' + ')}`
}

/** What should not happen: always duplicates and order, the rest only when there is any. */
function oddText({ deliveries }: Report): string {
  const named = [
    ['duplicated', 'duplicated'],
    ['outOfOrder', 'out of order'],
    ['redelivered', 'redelivered'],
    ['early', 'early'],
    ['late', 'late'],
    ['unexpected', 'unexpected'],
    ['foreign', 'foreign'],
    ['negativeLatency', 'with negative latency'],
  ] as const
  return named
    .filter(([name]) => name === 'duplicated' || name === 'outOfOrder' || (deliveries[name] ?? 0) > 0)
    .map(([name, words]) => `${formatCount(deliveries[name] ?? 0)} ${words}`)
    .join(', ')
}

function loadText({ deliveries }: Report): string {
  return [
    deliveries.offeredPerSecond === undefined ? '' : `${formatRate(deliveries.offeredPerSecond)} offered`,
    deliveries.ratePerSecond === undefined ? '' : `${formatRate(deliveries.ratePerSecond)} delivered`,
    deliveries.timeToEmptyMs === undefined ? '' : `${formatDurationMs(deliveries.timeToEmptyMs)} to empty`,
  ]
    .filter((text) => text !== '')
    .join(', ')
}

function testerText({ tester, clock }: Report): string {
  const busiest = Math.max(0, ...tester.loopUtilisation.map(({ ratio }) => ratio))
  return [
    tester.health,
    tester.loopUtilisation.length > 0 ? `loops up to ${formatShare(busiest)} busy` : '',
    tester.loopDelayUs.max === undefined ? '' : `held up to ${formatDuration(tester.loopDelayUs.max)}`,
    `clock ± ${formatDuration(clock.boundUs)}`,
  ]
    .filter((text) => text !== '')
    .join(', ')
}

function latencyLines(report: Report, screen: Screen): string[] {
  const rows: [label: string, summary: Summary | undefined, from: string][] = [
    ['delivery', report.latencyUs, 'intended → each client'],
    ['service', report.serviceLatencyUs, 'sent → each client'],
    ['sentinels', report.sentinelLatencyUs, 'intended → sentinels'],
    ['first', report.fanout.firstUs, 'intended → first client'],
    ['completion', report.fanout.completionUs, 'intended → last client'],
    ['spread', report.fanout.spreadUs, 'first → last client'],
    ['lateness', report.publish?.latenessUs, 'intended → sent'],
  ]
  const known = rows.filter((row): row is [string, Summary, string] => row[1] !== undefined && row[1].count > 0)
  if (known.length === 0) return []
  const isWide = screen.columns >= WIDE_COLUMNS
  const rowsOfText = known.map(([label, summary, from]) => [
    label,
    ...shownStatistics.map((name) => cell(summary[name])),
    ...(isWide ? [from] : []),
  ])
  return alignColumns([['', ...shownStatistics.map((name) => statisticNames[name])], ...rowsOfText], 'lrrrrrrl')
}

const cell = (us: number | undefined): string => (us === undefined ? '–' : formatDuration(us))

/** Each replica with the seed tool's two figures. */
function replicaLines({ replicas }: Report): string[] {
  if (replicas.length === 0) return []
  const rows = replicas
    .slice(0, MAX_REPLICAS)
    .map(({ replica, name, clients, deliveries, serviceLatencyUs }) => [
      `${replica} ${name}`,
      `${formatCount(clients.ready)} of ${formatCount(clients.wanted)}`,
      formatCount(deliveries.delivered),
      cell(serviceLatencyUs.mean),
    ])
  const more = replicas.length - rows.length
  return [
    ...alignColumns([['replica', 'ready', 'received', 'mean delivery time'], ...rows], 'lrrr'),
    ...(more > 0 ? [`… and ${formatCounted(more, 'more replica')} in the report`] : []),
  ]
}

function checkLines({ verdict }: Report, palette: Palette): string[] {
  return verdict.checks.map((check) => `${check.ok ? palette.green('✓') : palette.red('✗')} ${describeCheck(check)}`)
}

/** Broken checks stand above with their mark, the first reason often is the headline. */
function furtherReasons(report: Report, screen: Screen): string[] {
  const { sentence } = headline(report)
  return report.verdict.reasons
    .filter(({ code, text }) => code !== 'check-broken' && !sentence.includes(text))
    .map(({ code, text }) => sentenceText(`${code}:`, text, screen, screen.palette.red))
}

function warningLines({ verdict: { warnings } }: Report, screen: Screen): string[] {
  const shown = warnings
    .slice(0, MAX_WARNINGS)
    .map(({ code, text }) => sentenceText(`warning ${code}:`, text, screen, screen.palette.yellow))
  const more = warnings.length - shown.length
  return more > 0 ? [...shown, `… and ${formatCounted(more, 'more warning')} in the report`] : shown
}

function pathLines({ reportPath, nextSteps = [] }: SummaryOptions): string[] {
  const rows = [
    ...(reportPath === undefined ? [] : [['report', reportPath]]),
    ...nextSteps.map((step, index) => [index === 0 ? 'next' : '', step]),
  ]
  return alignColumns(rows, 'l')
}
