import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { writeToken } from '../../src/probe/codec.ts'
import { startTarget, type Target } from '../../src/target/target.ts'
import { startFanfare } from '../fixtures/fanfare.ts'

const GAP_MS = 5

/** Another program that stamps by the epoch clock, as docs/stamping.md tells it to. */
async function publishElsewhere(target: Target, run: string, sequences: readonly number[]): Promise<void> {
  for (const sequence of sequences) {
    const nowUs = Date.now() * 1_000
    const token = writeToken({ run, stream: 0, sequence, intendedUs: nowUs, sentUs: nowUs })
    target.broadcast(`public.${run}`, JSON.stringify({ probe: token }))
    await sleep(GAP_MS)
  }
}

const settings = { INJECTOR: 'none', RUN_ID: 'elsewher', WS_POOL_SIZE: '20' }
const upTo = (count: number): number[] => [...Array(count).keys()]

test('INJECTOR=none with MSG_COUNT: that many probes are owed, and the run ends when all are there', async () => {
  const target = await startTarget()
  const running = startFanfare(['run'], { ...settings, WS_ADDR: target.url, MSG_COUNT: '50' })
  await running.said(/publish/)
  await publishElsewhere(target, 'elsewher', upTo(50))
  const { exitCode, report, stderr } = await running.ended
  await target.close()
  assert.equal(exitCode, 0, stderr)
  assert.equal(report?.deliveries.expected, 1_000)
  assert.equal(report?.deliveries.delivered, 1_000)
  assert.equal(report?.stopReason, 'complete')
  assert.equal(report?.publish, undefined)
  const { boundUs = 0 } = report?.clock ?? {}
  assert.ok(boundUs > 0 && boundUs < 5_000, `the clock is known within ${boundUs} µs`)
})

test('INJECTOR=none without MSG_COUNT: the highest sequence heard is the count, and holes below it are losses', async () => {
  const target = await startTarget()
  const running = startFanfare(['run'], { ...settings, WS_ADDR: target.url })
  await running.said(/publish/)
  await publishElsewhere(
    target,
    'elsewher',
    upTo(30).filter((sequence) => sequence !== 12),
  )
  const { exitCode, report } = await running.ended
  await target.close()
  assert.equal(exitCode, 1)
  assert.equal(report?.deliveries.expected, 600)
  assert.equal(report?.deliveries.lost, 20)
  assert.equal(report?.stopReason, 'quiet')
})

test('INJECTOR=none and nobody publishes: exit code 3 after FIRST_PROBE_TIMEOUT_MS, strangers named', async () => {
  const target = await startTarget()
  const running = startFanfare(['run'], { ...settings, WS_ADDR: target.url, FIRST_PROBE_TIMEOUT_MS: '1500' })
  await running.said(/publish/)
  target.broadcast(
    'public.elsewher',
    JSON.stringify({ probe: writeToken({ run: 'stranger', stream: 0, sequence: 0, intendedUs: 1, sentUs: 1 }) }),
  )
  const { exitCode, report } = await running.ended
  await target.close()
  assert.equal(exitCode, 3)
  assert.equal(report?.verdict.reasons[0]?.code, 'first-probe-timeout')
  assert.match(report?.verdict.reasons[0]?.text ?? '', /20 probes of other runs were heard/)
})
