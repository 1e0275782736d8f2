import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { decodeCounts } from '../../../src/measure/hdr-encoding.ts'
import type { Report } from '../../../src/report/schema.ts'
import { Group } from '../../fixtures/group.ts'
import { type GroupStage, setGroupStage } from '../../fixtures/group-stage.ts'

const AMQP_ADDR = process.env.TEST_AMQP_ADDR ?? ''
let stage: GroupStage
before(async () => {
  stage = await setGroupStage(AMQP_ADDR)
})
after(() => stage.close())

/** Counts by bucket, of all replicas together. */
function pooled(report: Report): Map<number, number> {
  const sum = new Map<number, number>()
  for (const { histograms } of report.replicas) add(sum, histograms!.latency!)
  return sum
}

function add(sum: Map<number, number>, encoded: string): Map<number, number> {
  const { index, count } = decodeCounts(encoded)
  for (let at = 0; at < index.length; at++) sum.set(index[at]!, (sum.get(index[at]!) ?? 0) + count[at]!)
  return sum
}

test('four replicas of 2,000 clients and 500 probes: four million deliveries are booked once each, and merged figures are the pooled ones', async () => {
  const group = new Group({
    settings: {
      ...stage.settings,
      WS_POOL_SIZE: '2000',
      MSG_COUNT: '500',
      MSG_DELAY: '40',
      QUIET_MS: '10000',
      READY_TIMEOUT_MS: '20000',
      CONNECT_TIMEOUT_MS: '20000',
    },
    replicas: 4,
  })
  const { coordinator, replicas } = await group.ended()
  const { report } = coordinator
  assert.ok(report, coordinator.stderr)
  assert.equal(coordinator.exitCode, 0, coordinator.stdout)
  assert.deepEqual([report.clients.wanted, report.clients.ready, report.stopReason], [8_000, 8_000, 'complete'])
  const { expected, delivered, missed, lost, unaccounted, duplicated } = report.deliveries
  assert.deepEqual([expected, delivered, missed, lost, unaccounted, duplicated], [4_000_000, 4_000_000, 0, 0, 0, 0])
  assert.deepEqual([report.fanout.probes, report.fanout.incomplete], [500, 0])
  assert.deepEqual(
    report.replicas.map((row) => [row.replica, row.clients.ready, row.deliveries.delivered]),
    [1, 2, 3, 4].map((replica) => [replica, 2_000, 1_000_000]),
  )
  assert.deepEqual(pooled(report), add(new Map(), report.histograms.latency!))
  assert.equal(report.clock.shared, true)
  for (const { exitCode, stdout } of replicas) {
    assert.equal(exitCode, 0)
    assert.match(stdout, /^Received 1000000 messages\nMean delivery time is [\d.]+ ms\n$/)
  }
})

test('with a stream of its own each replica hears only its own probes, as with the seed tool', async () => {
  const group = new Group({
    settings: { ...stage.settings, WS_POOL_SIZE: '20', MSG_COUNT: '30' },
    plan: { STREAM_SCOPE: 'replica' },
    replicas: 3,
  })
  const { coordinator } = await group.ended()
  const { report } = coordinator
  assert.ok(report, coordinator.stderr)
  assert.equal(coordinator.exitCode, 0, coordinator.stdout)
  assert.deepEqual([report.publish?.published, report.fanout.probes, report.deliveries.delivered], [90, 90, 3 * 20 * 30])
  assert.equal(report.deliveries.unexpected, 0)
  for (const replica of report.replicas) assert.equal(replica.deliveries.delivered, 20 * 30)
  assert.match(coordinator.stdout, /\n3 \S+ +20 of 20 +600 +[\d.]+ (?:ms|µs)\n/)
})

test('clients are numbered over the whole run, and every target gets its part of each replica', async () => {
  const other = await setGroupStage(AMQP_ADDR)
  const group = new Group({
    settings: { ...stage.settings, WS_ADDR: `${stage.settings.WS_ADDR},${other.settings.WS_ADDR}`, WS_POOL_SIZE: '7', MSG_COUNT: '10' },
    replica: (index) => ({ WS_POOL_SIZE: index === 0 ? '5' : '8' }),
    replicas: 2,
  })
  const { coordinator } = await group.ended()
  await other.close()
  const { report } = coordinator
  assert.ok(report, coordinator.stderr)
  assert.deepEqual(report.replicas.map(({ clients }) => clients.wanted).sort(), [5, 8])
  assert.deepEqual(
    report.targets?.map(({ ready, delivered }) => [ready, delivered]),
    [
      [7, 70],
      [6, 60],
    ],
  )
})
