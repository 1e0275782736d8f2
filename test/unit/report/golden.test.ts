import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { compareSides } from '../../../src/report/compare/compare.ts'
import { comparisonHtml } from '../../../src/report/compare/comparison-html.ts'
import { comparisonText } from '../../../src/report/compare/comparison-text.ts'
import { seedLines, summaryText } from '../../../src/report/console.ts'
import { reportCsv } from '../../../src/report/csv.ts'
import { reportHtml } from '../../../src/report/html/page.ts'
import { reportMarkdown } from '../../../src/report/markdown.ts'
import { parseReport } from '../../../src/report/read.ts'
import type { Report } from '../../../src/report/schema.ts'

// A report of a real demo run, saved by version 0.1.0. It is never made anew: what reads it must go on reading it.
const text = readFileSync(new URL('../../fixtures/golden-report.json', import.meta.url), 'utf8')
const saved: Record<string, unknown> = JSON.parse(text)

/** Everything that is made from a saved report. */
const outputs = (report: Report): string[] => [
  summaryText(report),
  seedLines(report),
  reportMarkdown(report),
  reportCsv(report),
  reportHtml(report),
  comparisonText(compareSides({ label: 'a', reports: [report] }, { label: 'b', reports: [report] }), []),
  comparisonHtml(compareSides({ label: 'a', reports: [report] }, { label: 'b', reports: [report] }), []),
]

const assertNothingOdd = (output: string): void =>
  assert.doesNotMatch(output.replaceAll(/<(style|script)[\s\S]*?<\/\1>/g, ''), /undefined|NaN|\[object/)

test('a report of the first version is read whole', () => {
  assert.deepEqual(JSON.parse(JSON.stringify(parseReport(text, 'golden'))), saved)
})

test('its figures are told as they were', () => {
  const summary = summaryText(parseReport(text, 'golden'))
  assert.match(summary, /^PASS: all 80 clients heard all 120 probes/)
  assert.match(summary, /^deliveries {2}9,600 owed = 9,600 delivered \+ 0 missed \+ 0 lost$/m)
  assert.match(seedLines(parseReport(text, 'golden')), /^Received 9600 messages\nMean delivery time is \d+(\.\d+)? ms$/)
})

test('every output is made from it', () => {
  for (const output of outputs(parseReport(text, 'golden'))) assertNothingOdd(output)
})

test('without anything that a report may leave out, every output is still made', () => {
  const { pacing, publish, canary, warmup, otherFrames, sentinelLatencyUs, targets, ...rest } = saved
  assert.ok(pacing && publish && canary && otherFrames && targets && !warmup && !sentinelLatencyUs)
  const bare = parseReport(JSON.stringify({ ...rest, histograms: {}, timeline: [], worst: { probes: [], clients: [] } }), 'bare')
  for (const output of outputs(bare)) assertNothingOdd(output)
})

test('what a newer version of the same schema added is ignored', () => {
  const newer = { ...saved, weather: 'fine', clients: { ...(saved.clients as object), hats: 3 } }
  assert.deepEqual(JSON.parse(JSON.stringify(parseReport(JSON.stringify(newer), 'newer'))), saved)
})
