/**
 * The report as Markdown that fits a comment on a pull request: verdict, checks, key figures and warnings. What came from outside is
 * escaped, so that an error text cannot become markup.
 */
import { describeCheck } from './checks.ts'
import { formatCount, formatDuration, formatDurationMs, formatRate, formatShare } from './format.ts'
import { headline } from './headline.ts'
import type { Report, Summary } from './schema.ts'
import { shownStatistics, statisticNames } from './statistic-names.ts'

const signs: Record<Report['verdict']['outcome'], string> = {
  pass: '✅',
  fail: '❌',
  refused: '⛔',
  invalid: '⚠️',
  interrupted: '⏹️',
  fault: '💥',
}

/** Warnings and reasons beyond this many are counted. */
const MAX_LINES = 20

/** Ends with a newline. */
export function reportMarkdown(report: Report): string {
  const { word, sentence } = headline(report)
  const { verdict, environment, runId, startedAt } = report
  const blocks = [
    `### ${signs[verdict.outcome]} ${word}: ${markdownText(sentence)}`,
    figureTable(report),
    latencyTable(report),
    bulletList(verdict.checks.map((check) => `${check.ok ? '✅' : '❌'} ${markdownText(describeCheck(check))}`)),
    bulletList(verdict.reasons.filter(({ code }) => code !== 'check-broken').map(({ code, text }) => `\`${code}\`: ${markdownText(text)}`)),
    bulletList(verdict.warnings.map(({ code, text }) => `⚠️ \`${code}\`: ${markdownText(text)}`)),
    `<sub>fanfare ${markdownText(environment.version)}, run ${markdownText(runId)}, ${markdownText(startedAt)}</sub>`,
  ]
  return `${blocks.filter((block) => block !== '').join('\n\n')}\n`
}

/** Text with everything escaped that Markdown or HTML would take for markup; line ends become spaces. */
export const markdownText = (text: string): string =>
  text
    .replaceAll(/\s+/g, ' ')
    .replaceAll(/[\\`*_{}[\]()#|~]/g, '\\$&')
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('@', '&#64;')

/** Cells are escaped by whoever makes them. */
export const markdownTable = (head: readonly string[], rows: readonly (readonly string[])[], alignments: string): string => {
  const rule = head.map((_, column) => ((alignments[column] ?? alignments.at(-1)) === 'r' ? '---:' : '---'))
  return [head, rule, ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n')
}

const bulletList = (items: readonly string[]): string => {
  const more = items.length - MAX_LINES
  return [...items.slice(0, MAX_LINES), ...(more > 0 ? [`… and ${more} more`] : [])].map((item) => `- ${item}`).join('\n')
}

function figureTable({ clients, deliveries, publish, tester, clock, durationMs }: Report): string {
  const rows: [string, string | undefined][] = [
    ['clients ready', `${formatCount(clients.ready)} of ${formatCount(clients.wanted)}`],
    ['probes confirmed', publish && `${formatCount(publish.confirmed)} of ${formatCount(publish.scheduled)}`],
    [
      'deliveries',
      deliveries.expected === 0
        ? undefined
        : `${formatCount(deliveries.delivered)} of ${formatCount(deliveries.expected)} (${formatShare(deliveries.delivered / deliveries.expected)})`,
    ],
    ['lost, missed', `${formatCount(deliveries.lost)}, ${formatCount(deliveries.missed)}`],
    ['duplicated, out of order', `${formatCount(deliveries.duplicated)}, ${formatCount(deliveries.outOfOrder)}`],
    ['delivered', deliveries.ratePerSecond === undefined ? undefined : formatRate(deliveries.ratePerSecond)],
    ['time to empty', deliveries.timeToEmptyMs === undefined ? undefined : formatDurationMs(deliveries.timeToEmptyMs)],
    ['tester', `${tester.health}, clock ± ${formatDuration(clock.boundUs)}`],
    ['duration', formatDurationMs(durationMs)],
  ]
  return markdownTable(
    ['', ''],
    rows.filter((row): row is [string, string] => row[1] !== undefined),
    'lr',
  )
}

function latencyTable(report: Report): string {
  const rows: [string, Summary][] = [
    ['delivery', report.latencyUs],
    ['service', report.serviceLatencyUs],
    ['completion', report.fanout.completionUs],
    ['spread', report.fanout.spreadUs],
  ]
  const known = rows.filter(([, { count }]) => count > 0)
  if (known.length === 0) return ''
  return markdownTable(
    ['', ...shownStatistics.map((statistic) => statisticNames[statistic])],
    known.map(([name, summary]) => [
      name,
      ...shownStatistics.map((statistic) => (summary[statistic] === undefined ? '–' : formatDuration(summary[statistic]))),
    ]),
    'lrrrrrr',
  )
}
