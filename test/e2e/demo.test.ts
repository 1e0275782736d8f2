import assert from 'node:assert/strict'
import { test } from 'node:test'
import { reportSchema } from '../../src/report/schema.ts'
import { fanfare } from '../fixtures/fanfare.ts'

const small = { WS_POOL_SIZE: '200', MSG_COUNT: '60', MSG_DELAY: '10' }

test('the demo needs nothing, books every delivery and passes', async () => {
  const { exitCode, stdout, stderr, report } = await fanfare(['demo'], small)
  assert.equal(exitCode, 0, stderr)
  assert.ok(report)
  assert.equal(report.deliveries.expected, 12_000)
  assert.equal(report.deliveries.delivered, 12_000)
  assert.equal(report.deliveries.lost, 0)
  assert.equal(report.deliveries.missed, 0)
  assert.equal(report.deliveries.duplicated, 0)
  assert.equal(report.deliveries.outOfOrder, 0)
  assert.equal(report.stopReason, 'complete')
  assert.equal(report.verdict.outcome, 'pass')
  assert.match(stdout, /^PASS: /)
})

test("the last two lines on stdout are the seed tool's", async () => {
  const { stdout } = await fanfare(['demo'], small)
  const lines = stdout.trimEnd().split('\n').slice(-2)
  assert.equal(lines[0], 'Received 12000 messages')
  assert.match(lines[1]!, /^Mean delivery time is \d+(\.\d+)? ms$/)
})

test('with --json the report stands alone on stdout and keeps its schema', async () => {
  const { exitCode, stdout } = await fanfare(['demo', '--json'], small)
  assert.equal(exitCode, 0)
  const report = reportSchema.parse(JSON.parse(stdout))
  assert.equal(report.schema, 'fanfare.report/1')
  assert.equal(report.deliveries.delivered, 12_000)
})
