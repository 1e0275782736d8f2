/** The top of the page: verdict with its reasons, the figures people ask for first, the latency table, checks and warnings. */
import { describeCheck } from '../checks.ts'
import { formatCount, formatDuration, formatDurationMs, formatRate, formatShare } from '../format.ts'
import { headline } from '../headline.ts'
import type { Report, Summary } from '../schema.ts'
import { html, type Markup } from './markup.ts'
import { type Column, table } from './tables.ts'

export function verdictSection(report: Report): Markup {
  const { word, sentence } = headline(report)
  const { outcome, reasons, warnings, exitCode } = report.verdict
  const further = reasons.filter(({ text }) => !sentence.includes(text))
  return html`<section class="verdict ${outcome}" aria-label="Verdict">
<h1><span class="word">${word}:</span> ${sentence}</h1>
${further.length > 0 ? html`<ul class="plain">${further.map(({ code, text }) => html`<li><span class="code">${code}</span> ${text}</li>`)}</ul>` : ''}
<p class="soft">Ended <b>${report.stopReason}</b> after ${formatDurationMs(report.durationMs)}, exit code ${exitCode}.</p>
</section>
${warnings.length > 0 ? html`<ul class="plain warnings" aria-label="Warnings">${warnings.map(({ code, text }) => html`<li><span class="code">⚠ ${code}</span> ${text}</li>`)}</ul>` : ''}`
}

export function tiles(report: Report): Markup {
  const { clients, deliveries, latencyUs, fanout, clock, tester } = report
  const all: [title: string, value: string, note: string][] = [
    ['clients ready', formatCount(clients.ready), `of ${formatCount(clients.wanted)} wanted`],
    [
      'deliveries',
      deliveries.expected === 0 ? '–' : formatShare(deliveries.delivered / deliveries.expected),
      `${formatCount(deliveries.delivered)} of ${formatCount(deliveries.expected)} owed`,
    ],
    [
      'lost / missed',
      `${formatCount(deliveries.lost)} / ${formatCount(deliveries.missed)}`,
      `${formatCount(deliveries.duplicated)} duplicated, ${formatCount(deliveries.outOfOrder)} out of order`,
    ],
    ['delivery latency', duration(latencyUs.p50 ?? latencyUs.mean), tailNote(latencyUs)],
    ['completion (last client)', duration(fanout.completionUs.p50 ?? fanout.completionUs.mean), tailNote(fanout.completionUs)],
    ['time to empty', deliveries.timeToEmptyMs === undefined ? '–' : formatDurationMs(deliveries.timeToEmptyMs), 'after the last publish'],
    [
      'load',
      deliveries.ratePerSecond === undefined ? '–' : formatRate(deliveries.ratePerSecond),
      deliveries.offeredPerSecond === undefined ? 'delivered' : `delivered of ${formatRate(deliveries.offeredPerSecond)} offered`,
    ],
    ['tester', tester.health, `clock ± ${formatDuration(clock.boundUs)}`],
  ]
  return html`<dl class="tiles">${all.map(([title, value, note]) => html`<div><dt>${title}</dt><dd>${value} <small>${note}</small></dd></div>`)}</dl>`
}

const tailNote = ({ p50, p99, max }: Summary): string =>
  [
    p50 === undefined ? 'mean' : 'median',
    p99 === undefined ? '' : `p99 ${formatDuration(p99)}`,
    max === undefined ? '' : `max ${formatDuration(max)}`,
  ]
    .filter((text) => text !== '')
    .join(', ')

const duration = (us: number | undefined): string => (us === undefined ? '–' : formatDuration(us))

interface LatencyRow {
  readonly name: string
  readonly from: string
  readonly summary: Summary
}

const figure = (title: string, name: keyof Omit<Summary, 'count'>): Column<LatencyRow> => ({
  title,
  isNumber: true,
  cell: ({ summary }) => duration(summary[name]),
})

export function latencyTable(report: Report): Markup {
  const rows: (LatencyRow | undefined)[] = [
    { name: 'delivery', from: 'intended → each client', summary: report.latencyUs },
    { name: 'service', from: 'sent → each client', summary: report.serviceLatencyUs },
    report.sentinelLatencyUs && { name: 'sentinels', from: 'intended → sentinels', summary: report.sentinelLatencyUs },
    { name: 'first', from: 'intended → first client', summary: report.fanout.firstUs },
    { name: 'completion', from: 'intended → last client', summary: report.fanout.completionUs },
    { name: 'spread', from: 'first → last client', summary: report.fanout.spreadUs },
    report.publish && { name: 'lateness', from: 'intended → sent', summary: report.publish.latenessUs },
    report.publish && { name: 'confirm', from: 'sent → confirmed', summary: report.publish.confirmLatencyUs },
    { name: 'connect', from: 'dial → open', summary: report.connect.latencyUs },
    { name: 'ready', from: 'open → acknowledged', summary: report.connect.readyLatencyUs },
  ]
  const known = rows.filter((row): row is LatencyRow => row !== undefined && row.summary.count > 0)
  if (known.length === 0) return html`<p class="absent">Nothing was measured.</p>`
  return table<LatencyRow>(
    'Latencies',
    [
      { title: '', cell: ({ name }) => name },
      { title: 'from → to', cell: ({ from }) => from },
      { title: 'samples', isNumber: true, cell: ({ summary }) => formatCount(summary.count) },
      figure('min', 'min'),
      figure('mean', 'mean'),
      figure('σ', 'stddev'),
      figure('p50', 'p50'),
      figure('p90', 'p90'),
      figure('p95', 'p95'),
      figure('p99', 'p99'),
      figure('p99.9', 'p999'),
      figure('p99.99', 'p9999'),
      figure('max', 'max'),
    ],
    known,
  )
}

export const checkTable = ({ verdict }: Report): Markup =>
  table(
    'Checks',
    [
      { title: 'check', cell: ({ ok, name }) => `${ok ? '✓' : '✗'} ${name}` },
      { title: 'holds', cell: ({ ok }) => (ok ? 'yes' : 'no') },
      { title: 'figure', cell: (check) => describeCheck(check).slice(check.name.length + 2) },
    ],
    verdict.checks,
  )

export function booksTable({ deliveries }: Report): Markup {
  const rows: [name: string, count: number | undefined, meaning: string][] = [
    ['owed', deliveries.expected, '= delivered + missed + lost + unaccounted'],
    ['delivered', deliveries.delivered, 'first deliveries, in time'],
    ['missed', deliveries.missed, 'the client was disconnected'],
    ['lost', deliveries.lost, 'the client was connected'],
    ['unaccounted', deliveries.unaccounted, 'figures that died with a thread or replica'],
    ['duplicated', deliveries.duplicated, 'further copies'],
    ['redelivered', deliveries.redelivered, 'further copies that the target marked'],
    ['out of order', deliveries.outOfOrder, 'after a higher sequence'],
    ['early', deliveries.early, 'sent before the client was ready'],
    ['late', deliveries.late, 'after the drain had ended'],
    ['unexpected', deliveries.unexpected, 'on a stream the client does not have'],
    ['foreign', deliveries.foreign, 'of another run'],
    ['negative latency', deliveries.negativeLatency, 'seem to have come before they were due'],
  ]
  return table(
    'Books',
    [
      { title: '', cell: ([name]) => name },
      { title: 'deliveries', isNumber: true, cell: ([, count]) => formatCount(count!) },
      { title: '', cell: ([, , meaning]) => meaning },
    ],
    rows.filter(([, count]) => count !== undefined),
  )
}
