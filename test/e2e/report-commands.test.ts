import assert from 'node:assert/strict'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { buildReport } from '../../src/report/build.ts'
import { reportJson } from '../../src/report/write.ts'
import { fanfare } from '../fixtures/fanfare.ts'
import { simulateRun } from '../fixtures/simulated-run.ts'
import { setStage } from '../fixtures/stage.ts'

let folder: string
let quick: string
let slow: string
before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'fanfare-reports-'))
  const save = async (name: string, us: number): Promise<string> => {
    await mkdir(join(folder, name))
    const path = join(folder, name, 'report.json')
    await writeFile(path, reportJson(buildReport(simulateRun({ latencyUs: (client) => us + 10 * client }), '0.1.0')))
    return path
  }
  quick = await save('quick', 1_000)
  slow = await save('slow', 21_000)
})
after(() => rm(folder, { recursive: true }))

test('a saved report is printed again as summary, page, Markdown or CSV, whatever its verdict', async () => {
  const rows: [flags: string[], beginning: RegExp][] = [
    [[], /^PASS: all 100 clients heard all 50 probes/],
    [['--html'], /^<!doctype html>[\s\S]*<\/html>\n$/],
    [['--markdown'], /^### ✅ PASS/],
    [['--csv'], /^atMs,published,delivered/],
  ]
  for (const [flags, beginning] of rows) {
    const { exitCode, stdout, stderr } = await fanfare(['report', quick, ...flags])
    assert.equal(exitCode, 0, stderr)
    assert.match(stdout, beginning)
    assert.equal(stderr, '')
  }
})

test('a report that cannot be read, or two outputs at once, end with exit code 2 and a sentence', async () => {
  const missing = await fanfare(['report', join(folder, 'nothing.json')])
  assert.deepEqual([missing.exitCode, missing.stdout], [2, ''])
  assert.match(missing.stderr, /nothing\.json cannot be read/)
  const both = await fanfare(['report', quick, '--html', '--csv'])
  assert.equal(both.exitCode, 2)
  assert.match(both.stderr, /one of --html, --markdown and --csv/)
})

test('compare shows what changed, and --fail-if decides the exit code', async () => {
  const same = await fanfare(['compare', quick, quick, '--fail-if', 'p50>+5ms'])
  assert.equal(same.exitCode, 0, same.stderr)
  assert.match(same.stdout, /No figure and no setting differs/)
  const worse = await fanfare(['compare', quick, join(folder, 'slow'), '--fail-if', 'p50>+5ms'])
  assert.equal(worse.exitCode, 1)
  assert.match(worse.stdout, /delivery\.p50 +1\.49 ms +21\.5 ms +\+20 ms/)
  assert.match(worse.stdout, /✗ p50>\+5ms: 1\.49 ms → 21\.5 ms/)
  assert.equal((await fanfare(['compare', quick, slow, '--html'])).stdout.startsWith('<!doctype html>'), true)
  assert.equal((await fanfare(['compare', quick, slow, '--markdown'])).stdout.startsWith('### fanfare'), true)
})

test('a mistake in --fail-if is shown with its place before any file is read', async () => {
  const { exitCode, stderr } = await fanfare(['compare', 'nothing', 'nowhere', '--fail-if', 'p50>5ms'])
  assert.equal(exitCode, 2)
  assert.match(stderr, /--fail-if, character 5/)
})

test('a real run against a target that delays everybody by 20 ms shows 20 ms more and fails --fail-if "p50>+5ms"', async (t) => {
  const paths: string[] = []
  for (const delayMs of [0, 20]) {
    const stage = await setStage(delayMs === 0 ? {} : { habits: [{ kind: 'delay', ms: delayMs }] })
    t.after(() => stage.close())
    const { report, stderr } = await fanfare(['run'], { ...stage.settings, WS_POOL_SIZE: '50', MSG_COUNT: '40', MSG_DELAY: '50' })
    assert.ok(report, stderr)
    const path = join(folder, `delay-${delayMs}.json`)
    await writeFile(path, reportJson(report))
    paths.push(path)
  }
  const { exitCode, stdout } = await fanfare(['compare', ...paths, '--fail-if', 'p50>+5ms'])
  assert.equal(exitCode, 1, stdout)
  const [, afterMs] = /✗ p50>\+5ms: [\d.]+ (?:µs|ms) → ([\d.]+) ms/.exec(stdout) ?? []
  assert.ok(Number(afterMs) >= 20, stdout)
})
