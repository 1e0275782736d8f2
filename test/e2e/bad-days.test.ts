import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { startFanfare } from '../fixtures/fanfare.ts'
import { setStage } from '../fixtures/stage.ts'

describe('what goes wrong during a run is booked, and the run ends by itself', () => {
  test('13 % of connects refused: nothing is lost, the shortfall shows, ready==100% is broken', async () => {
    const stage = await setStage({ habits: [{ kind: 'status', status: 503, clients: [...Array(13).keys()] }] })
    const { exitCode, report } = await startFanfare(['run'], { ...stage.settings, WS_POOL_SIZE: '100', MSG_COUNT: '20', MSG_DELAY: '5' })
      .ended
    await stage.close()
    assert.equal(exitCode, 1)
    assert.equal(report?.clients.wanted, 100)
    assert.equal(report?.clients.ready, 87)
    assert.equal(report?.clients.errorsByCode['http-status'], 13)
    assert.equal(report?.deliveries.lost, 0)
    assert.equal(report?.deliveries.delivered, 87 * 20)
    assert.deepEqual(
      report?.verdict.checks.filter(({ ok }) => !ok).map(({ name }) => name),
      ['ready==100%'],
    )
  })

  test('clients cut in mid-run miss what they were owed from then on', async () => {
    const stage = await setStage({ habits: [{ kind: 'end', how: 'cut', clients: [3, 4], sequences: [9] }] })
    const { exitCode, report } = await startFanfare(['run'], { ...stage.settings, WS_POOL_SIZE: '10', MSG_COUNT: '40', MSG_DELAY: '10' })
      .ended
    await stage.close()
    assert.equal(exitCode, 1)
    assert.equal(report?.clients.disconnected, 2)
    assert.equal(report?.deliveries.missed, 2 * 30)
    assert.equal(report?.deliveries.lost, 0)
    assert.equal(report?.deliveries.expected, 400)
    assert.equal(report?.stopReason, 'complete')
  })

  test('a target that goes away ends the run as target-lost, with a report', async () => {
    const stage = await setStage()
    const running = startFanfare(['run'], { ...stage.settings, WS_POOL_SIZE: '10', MSG_COUNT: '2000', MSG_DELAY: '10' })
    await running.said(/delivered [1-9]/)
    await stage.target.close()
    const { exitCode, report } = await running.ended
    await stage.broker.close()
    assert.equal(exitCode, 1)
    assert.equal(report?.stopReason, 'target-lost')
    assert.equal(report?.clients.disconnected, 10)
  })

  test('a broker connection that is dropped and comes back: the run goes on and books the unknown probes', async () => {
    const stage = await setStage()
    const settings = { WS_POOL_SIZE: '10', MSG_COUNT: '500', MSG_DELAY: '10', AMQP_WAIT_MS: '10000' }
    const running = startFanfare(['run'], { ...stage.settings, ...settings })
    await running.said(/delivered [1-9]/)
    await stage.broker.faults.inject({ kind: 'drop-sockets', how: 'reset' })
    const { exitCode, report, stderr } = await running.ended
    await stage.close()
    assert.ok(report, stderr)
    assert.equal(report.publish?.scheduled, 500)
    const { published = 0, confirmed = 0, returned = 0, nacked = 0, unknown = 0 } = report.publish ?? {}
    assert.equal(published, confirmed + returned + nacked + unknown)
    const { expected, delivered, missed, lost, unaccounted } = report.deliveries
    assert.equal(expected, delivered + missed + lost + (unaccounted ?? 0))
    assert.doesNotMatch(stderr, /nhandled/)
    assert.ok(exitCode === 0 || exitCode === 1)
  })

  test('SIGINT: a report of what happened so far, exit code 130', async () => {
    const stage = await setStage()
    const running = startFanfare(['run'], { ...stage.settings, WS_POOL_SIZE: '10', MSG_COUNT: '5000', MSG_DELAY: '10' })
    await running.said(/delivered [1-9]/)
    running.child.kill('SIGINT')
    const { exitCode, report } = await running.ended
    await stage.close()
    assert.equal(exitCode, 130)
    assert.equal(report?.stopReason, 'signal')
    assert.equal(report?.verdict.outcome, 'interrupted')
    assert.equal(report?.deliveries.lost, 0)
  })

  test('frames that are no probes are counted and harm nothing', async () => {
    const stage = await setStage({
      habits: [
        { kind: 'insert', what: 'text', sequences: [1] },
        { kind: 'insert', what: 'binary', sequences: [2] },
        { kind: 'insert', what: 'huge', bytes: 300_000, sequences: [3] },
        { kind: 'insert', what: 'ping', sequences: [4] },
      ],
    })
    const { exitCode, report } = await startFanfare(['run'], { ...stage.settings, WS_POOL_SIZE: '10', MSG_COUNT: '20', MSG_DELAY: '5' })
      .ended
    await stage.close()
    assert.equal(exitCode, 0)
    assert.equal(report?.deliveries.delivered, 200)
  })
})
