import assert from 'node:assert/strict'
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { buildReport } from '../../../src/report/build.ts'
import { reportJson, writeReport } from '../../../src/report/write.ts'
import { simulateRun } from '../../fixtures/simulated-run.ts'

const report = buildReport(simulateRun(), '0.1.0')

test('a report lands in REPORT_DIR/<runId>/report.json, whole, with nothing beside it', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'fanfare-write-'))
  t.after(() => rm(folder, { recursive: true }))
  const written = await writeReport(report, join(folder, 'deep', 'reports'))
  assert.deepEqual(written, { isWritten: true, path: join(folder, 'deep', 'reports', 'fixt0001', 'report.json') })
  assert.deepEqual(await readdir(join(folder, 'deep', 'reports', 'fixt0001')), ['report.json'])
  assert.deepEqual(
    JSON.parse(await readFile(join(folder, 'deep', 'reports', 'fixt0001', 'report.json'), 'utf8')),
    JSON.parse(JSON.stringify(report)),
  )
})

test('a second report of the same run replaces the first', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'fanfare-write-'))
  t.after(() => rm(folder, { recursive: true }))
  await writeReport({ ...report, durationMs: 1 }, folder)
  await writeReport({ ...report, durationMs: 2 }, folder)
  assert.equal(JSON.parse(await readFile(join(folder, 'fixt0001', 'report.json'), 'utf8')).durationMs, 2)
})

test('where nothing can be written the JSON comes back to be printed, with a warning', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'fanfare-write-'))
  t.after(() => rm(folder, { recursive: true }))
  await writeFile(join(folder, 'file'), '')
  const written = await writeReport(report, join(folder, 'file'))
  assert.ok(!written.isWritten)
  assert.deepEqual(JSON.parse(written.json), JSON.parse(JSON.stringify(report)))
  assert.match(written.warning, /could not be written to .*ENOTDIR/)
})

test('the text is JSON with one line for each second, so that an hour stays readable', () => {
  const text = reportJson(report)
  assert.deepEqual(JSON.parse(text), JSON.parse(JSON.stringify(report)))
  assert.equal(text.split('\n').filter((line) => line.startsWith('    {"atMs":')).length, report.timeline.length)
})
