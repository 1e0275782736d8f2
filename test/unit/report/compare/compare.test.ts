import assert from 'node:assert/strict'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { FanfareError } from '../../../../src/errors.ts'
import { buildReport } from '../../../../src/report/build.ts'
import { compareSides } from '../../../../src/report/compare/compare.ts'
import { comparisonHtml } from '../../../../src/report/compare/comparison-html.ts'
import { comparisonMarkdown } from '../../../../src/report/compare/comparison-markdown.ts'
import { comparisonText } from '../../../../src/report/compare/comparison-text.ts'
import { judgeChange, parseFailIf } from '../../../../src/report/compare/fail-if.ts'
import { loadSide } from '../../../../src/report/compare/load-side.ts'
import { figuresFrom } from '../../../../src/report/report-figures.ts'
import { savedHistograms } from '../../../../src/report/saved-histograms.ts'
import type { Report } from '../../../../src/report/schema.ts'
import { reportJson } from '../../../../src/report/write.ts'
import { type SimulatedRun, simulateRun } from '../../../fixtures/simulated-run.ts'

const reportOf = (scenario: Partial<SimulatedRun> = {}): Report => buildReport(simulateRun(scenario), '0.1.0')
const delayedBy = (us: number): Report => reportOf({ latencyUs: (client) => 1_000 + 10 * client + us })
const side = (label: string, ...reports: Report[]) => ({ label, reports })
const figures = (report: Report) => figuresFrom(report, savedHistograms(report))
const judge = (text: string, before: Report, after: Report) => judgeChange(parseFailIf(text)[0]!, [figures(before)], [figures(after)])

const changeOf = (before: Report, after: Report, name: string) =>
  compareSides(side('a', before), side('b', after)).changes.find(({ figure }) => figure.name === name)!

test('a run compared with itself shows no difference', () => {
  const report = reportOf()
  const comparison = compareSides(side('a', report), side('b', report))
  assert.ok(comparison.changes.every(({ change }) => change === 0))
  assert.deepEqual(comparison.differences, [])
  assert.match(comparisonText(comparison, []), /No figure and no setting differs\./)
})

test('a target delayed by 20 ms shows 20 ms, in every output', () => {
  const [before, after] = [delayedBy(0), delayedBy(20_000)]
  const { change } = changeOf(before, after, 'delivery.p50')
  assert.ok(Math.abs(change! - 20_000) < 25, `${change}`)
  const comparison = compareSides(side('a', before), side('b', after))
  for (const output of [comparisonText(comparison, []), comparisonMarkdown(comparison, []), comparisonHtml(comparison, [])]) {
    assert.match(output, /delivery\\?\.p50[^\n]*[^+]*\\?\+20 ms/)
  }
})

test('--fail-if "p50>+5ms" forbids 20 ms more and allows 4 ms more', () => {
  assert.equal(judge('p50>+5ms', delayedBy(0), delayedBy(20_000)).isForbidden, true)
  assert.equal(judge('p50>+5ms', delayedBy(0), delayedBy(4_000)).isForbidden, false)
})

test('changes may be relative, absolute, of counts and of rates, in either direction', () => {
  const [slow, fast] = [delayedBy(1_000), delayedBy(0)]
  const lossy = reportOf({ latencyUs: (client) => (client === 0 ? undefined : 1_000) })
  const rows: [text: string, before: Report, after: Report, isForbidden: boolean][] = [
    ['p99>+10%', fast, slow, true],
    ['p99>+60%', fast, slow, false],
    ['mean<-10%', slow, fast, true],
    ['lost>+0', fast, fast, false],
    ['lost>+0', fast, lossy, true],
    ['lost>+10%', fast, lossy, true],
    ['lost>+10%', fast, fast, false],
    ['rate<-5%', fast, fast, false],
    ['completion.max>=+1ms', fast, slow, true],
  ]
  for (const [text, before, after, isForbidden] of rows) assert.equal(judge(text, before, after).isForbidden, isForbidden, text)
})

test('a percentile that is no longer reached is forbidden, whatever the limit', () => {
  const half = reportOf({ latencyUs: (client) => (client % 2 === 0 ? undefined : 1_000) })
  const found = judge('p90>+100%', delayedBy(0), half)
  assert.equal(found.isForbidden, true)
  assert.match(found.found, /after: not reached/)
})

test('mistakes in --fail-if are shown with their place', () => {
  const rows: [text: string, words: RegExp][] = [
    ['p99>10%', /--fail-if, character 5: expected a change with its sign/],
    ['p99>+10', /character 8: `p99` is a time and needs a unit/],
    ['p99+10%', /character 8: expected one of/],
    ['nope>+1', /unknown figure `nope`/],
    ['lost>+1ms', /`lost` is a count/],
  ]
  for (const [text, words] of rows) {
    assert.throws(
      () => parseFailIf(text),
      (error) => error instanceof FanfareError && error.code === 'settings-invalid' && words.test(error.message),
      text,
    )
  }
})

test('settings, version and verdict that differ are named; what only names the run is not', () => {
  const before = reportOf({ env: { RUN_ID: 'aaaaaaaa' } })
  const after = buildReport(simulateRun({ env: { RUN_ID: 'bbbbbbbb', THREADS: '2', THRESHOLDS: 'p50<1us' } }), '0.2.0')
  const { differences } = compareSides(side('a', before), side('b', after))
  assert.deepEqual(
    differences.map(({ name, before: a, after: b }) => [name, a, b]),
    [
      ['verdict', ['pass'], ['fail']],
      ['fanfare', ['0.1.0'], ['0.2.0']],
      ['THRESHOLDS', [''], ['p50<1us']],
      ['THREADS', ['not set'], ['2']],
    ].sort((x, y) => differences.findIndex(({ name }) => name === x[0]) - differences.findIndex(({ name }) => name === y[0])),
  )
})

test('five runs on each side are tested: a real change is called worse, noise is not', () => {
  const runs = (base: number) => Array.from({ length: 5 }, (_, index) => delayedBy(base + 30 * index))
  const changed = compareSides(side('a', ...runs(0)), side('b', ...runs(5_000)))
  assert.equal(changed.isTested, true)
  assert.match(comparisonText(changed, []), /delivery\.p50 .*worse, p = 0\.0079/)
  const same = compareSides(side('a', ...runs(0)), side('b', ...runs(10)))
  assert.doesNotMatch(comparisonText(same, []), /worse|better/)
  assert.match(comparisonText(same, []), /its unit is the run/)
})

test('one run a side claims nothing', () => {
  const text = comparisonText(compareSides(side('a', delayedBy(0)), side('b', delayedBy(9_000))), [])
  assert.doesNotMatch(text, /worse|better|p = /)
  assert.match(text, /fewer than 5 runs on a side/)
})

test('a side is a file or a folder of runs, oldest first', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'fanfare-compare-'))
  t.after(() => rm(folder, { recursive: true }))
  for (const [name, startedAt] of [
    ['b', '2026-01-02T00:00:00.000Z'],
    ['a', '2026-01-03T00:00:00.000Z'],
  ] as const) {
    await mkdir(join(folder, 'runs', name), { recursive: true })
    await writeFile(join(folder, 'runs', name, 'report.json'), reportJson({ ...reportOf(), startedAt }))
  }
  const loaded = await loadSide(folder)
  assert.deepEqual(
    loaded.reports.map(({ startedAt }) => startedAt),
    ['2026-01-02T00:00:00.000Z', '2026-01-03T00:00:00.000Z'],
  )
  assert.equal((await loadSide(join(folder, 'runs', 'a', 'report.json'))).reports.length, 1)
})

test('what is no report is refused with a sentence that says why', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'fanfare-compare-'))
  t.after(() => rm(folder, { recursive: true }))
  const file = async (name: string, text: string): Promise<string> => {
    await writeFile(join(folder, name), text)
    return join(folder, name)
  }
  const rows: [path: string, words: RegExp][] = [
    [join(folder, 'missing.json'), /cannot be read: ENOENT/],
    [folder, /no report\.json in/],
    [await file('text', 'hello'), /is not JSON/],
    [await file('other', '{"a":1}'), /it names no schema/],
    [await file('newer', '{"schema":"fanfare.report/2"}'), /its schema is `fanfare\.report\/2`/],
    [await file('cut', '{"schema":"fanfare.report/1","runId":7}'), /damaged report:[\s\S]*runId/],
  ]
  for (const [path, words] of rows) {
    await assert.rejects(
      loadSide(path),
      (error) => error instanceof FanfareError && error.code === 'settings-invalid' && words.test(error.message),
      path,
    )
  }
})
