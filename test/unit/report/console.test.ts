import assert from 'node:assert/strict'
import { test } from 'node:test'
import { FanfareError } from '../../../src/errors.ts'
import { buildReport } from '../../../src/report/build.ts'
import { seedLines, summaryText } from '../../../src/report/console.ts'
import type { RunResult } from '../../../src/run/result.ts'
import { type SimulatedRun, simulateRun } from '../../fixtures/simulated-run.ts'

const reportOf = (scenario: Partial<SimulatedRun> = {}, changes: Partial<RunResult> = {}) =>
  buildReport(simulateRun(scenario, changes), '0.1.0')
const firstLine = (text: string): string => text.split('\n', 1)[0]!

test('a pass says who heard what, and how late the last one was', () => {
  assert.equal(
    firstLine(summaryText(reportOf({ clients: 100, probes: 300 }))),
    'PASS: all 100 clients heard all 300 probes; in 95 % of cases the last one within 1.99 ms',
  )
  assert.equal(
    firstLine(summaryText(reportOf({ clients: 1, probes: 1 }))),
    'PASS: all 1 client heard all 1 probe; the last one within 1 ms',
  )
})

test('a pass that allowed for losses says what was not heard', () => {
  const report = reportOf({
    neverReady: 5,
    latencyUs: (client) => (client === 0 ? undefined : 1_000),
    env: { THRESHOLDS: 'lost<2%, ready>=90%' },
  })
  assert.match(firstLine(summaryText(report)), /^PASS: 95 of 100 clients heard 98\.9 % of 4,750 deliveries/)
})

test('a failure says first what was not heard and who was not there', () => {
  const report = reportOf({ neverReady: 13, latencyUs: (client, sequence) => (client === 0 && sequence < 12 ? undefined : 1_000) })
  assert.equal(firstLine(summaryText(report)), 'FAIL: 12 of 4,350 deliveries were lost; 13 of 100 clients never became ready')
})

test('a broken threshold alone is the sentence', () => {
  assert.equal(firstLine(summaryText(reportOf({ env: { THRESHOLDS: 'p99<1ms' } }))), 'FAIL: p99<1ms: 1.98 ms')
})

test('the summary fits one screen of 80 columns and 40 lines, verdict first, then figures, then where the report is', () => {
  const lines = summaryText(reportOf(), { columns: 80, reportPath: 'reports/fixt0001/report.json', nextSteps: ['fanfare report …'] }).split(
    '\n',
  )
  assert.ok(lines.length <= 40, `${lines.length} lines`)
  assert.deepEqual(
    lines.slice(1).filter((line) => line.length > 80),
    [],
  )
  assert.match(lines[0]!, /^PASS: /)
  assert.ok(lines.some((line) => line.startsWith('deliveries  5,000 owed = 5,000 delivered + 0 missed + 0 lost')))
  assert.ok(lines.some((line) => /^delivery +1\.49 ms +1\.89 ms +1\.98 ms/.test(line)))
  assert.ok(lines.includes('✓ lost==0: 0'))
  assert.ok(lines.includes('report  reports/fixt0001/report.json'))
  assert.equal(lines.at(-1), 'next    fanfare report …')
})

test('warnings stand in the summary with their codes, many are counted', () => {
  const warnings = Array.from({ length: 12 }, (_, index) => ({ code: `code-${index}`, text: `text ${index}` }))
  const text = summaryText(reportOf({}, { warnings }))
  assert.match(text, /warning code-7: text 7/)
  assert.doesNotMatch(text, /code-8/)
  assert.match(text, /4 more warnings in the report/)
})

test('a run that could not be carried out prints its one sentence and no figures', () => {
  const failure = new FanfareError('connect-failed', 'The first 200 attempts to reach ws://127.0.0.1:1/ all failed: connection refused')
  const report = reportOf({ neverReady: 100 }, { stopReason: 'failed', failure })
  assert.equal(summaryText(report).split('\n\n')[0], `NOT RUN: ${failure.message}`)
  assert.doesNotMatch(summaryText(report), /deliveries|✗/)
})

test('an invalid run tells its reasons and still its figures', () => {
  const text = summaryText(reportOf({}, { died: ['Receiver thread 1 died'] }))
  assert.equal(firstLine(text), 'INVALID: Receiver thread 1 died')
  assert.match(text, /deliveries/)
})

test('without colour there is no escape, with colour there is', () => {
  assert.equal(summaryText(reportOf()).includes('\u001b'), false)
  assert.equal(summaryText(reportOf(), { isColoured: true }).includes('\u001b[32m'), true)
})

test('the last two lines are the seed tool’s: deliveries received and mean service latency in ms', () => {
  assert.equal(seedLines(reportOf()), 'Received 5000 messages\nMean delivery time is 1.455 ms')
  assert.equal(seedLines(reportOf({ latencyUs: () => undefined })), 'Received 0 messages\nMean delivery time is n/a ms')
})

test('on a terminal sentences are wrapped between words; through a pipe each stays one line', () => {
  const text = 'it was busy for a very long time and nobody could say why that was so, not even those who had looked for years'
  const report = reportOf({}, { warnings: [{ code: 'busy', text }] })
  const lines = summaryText(report, { columns: 60, isColoured: false }).split('\n')
  const at = lines.findIndex((line) => line.startsWith('warning busy: it was busy'))
  assert.ok(lines[at]!.length <= 60 && lines[at + 1]!.startsWith('  ') && lines[at + 1]!.length <= 60)
  assert.equal([lines[at], lines[at + 1], lines[at + 2]].map((line) => line!.trim()).join(' '), `warning busy: ${text}`)
  assert.ok(summaryText(report).split('\n').includes(`warning busy: ${text}`))
})
