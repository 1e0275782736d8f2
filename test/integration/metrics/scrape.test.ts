import assert from 'node:assert/strict'
import { execFileSync, spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { type TestContext, test } from 'node:test'
import { Registry } from 'prom-client'
import { metricNames, metricRow } from '../../../src/metrics/names.ts'
import { metricTables } from '../../../src/metrics/page.ts'
import { type MetricsRole, type MetricsSource, registerMetrics } from '../../../src/metrics/registry.ts'
import { startMetricsServer } from '../../../src/metrics/server.ts'
import type { RunResult, RunState } from '../../../src/run/result.ts'
import { type Scrape, scrape } from '../../fixtures/scrape.ts'
import { STARTED_US, simulateRun, stateOf, thread } from '../../fixtures/simulated-run.ts'

async function scrapeOnce(
  t: TestContext,
  role: MetricsRole,
  source: Partial<MetricsSource> & Pick<MetricsSource, 'state'>,
): Promise<Scrape> {
  const registry = new Registry()
  registerMetrics(registry, role, { version: '0.1.0', outcome: () => undefined, ...source })
  const server = await startMetricsServer({ host: '127.0.0.1', port: 0, registry, isReady: () => true })
  t.after(() => server.close())
  return scrape(server.url)
}

const scrapeRun = (t: TestContext, result: RunResult, phase: RunState['phase'] = 'done'): Promise<Scrape> =>
  scrapeOnce(t, 'run', { state: () => stateOf(result, phase) })

const replica = '0'

test('counters and gauges read the run as it stands', async (t) => {
  const result = simulateRun({ clients: 100, probes: 50, neverReady: 3 })
  const { value } = await scrapeRun(t, result)
  const rows: [name: string, labels: Record<string, string>, value: number][] = [
    ['fanfare_clients', { state: 'wanted' }, 100],
    ['fanfare_clients', { state: 'ready' }, 97],
    ['fanfare_clients', { state: 'failed' }, 3],
    ['fanfare_connect_errors_total', { code: 'refused' }, 3],
    ['fanfare_connect_errors_total', { code: 'dns' }, 0],
    ['fanfare_disconnects_total', { code: 'cut-by-target' }, 0],
    ['fanfare_deliveries_expected_total', {}, 97 * 50],
    ['fanfare_deliveries_received_total', {}, 97 * 50],
    ['fanfare_deliveries_outstanding', {}, 0],
    ['fanfare_deliveries_lost_total', {}, 0],
    ['fanfare_probes_published_total', {}, 50],
    ['fanfare_probes_confirmed_total', {}, 50],
    ['fanfare_run_phase', { phase: 'done' }, 1],
    ['fanfare_run_phase', { phase: 'publish' }, 0],
    ['fanfare_run_info', { run_id: 'fixt0001', protocol: 'rango', injector: 'amqp', version: '0.1.0' }, 1],
  ]
  for (const [name, labels, expected] of rows) assert.equal(value(name, { ...labels, replica }), expected, name)
})

test('histograms are cumulative in seconds, and their count and sum are those of the run', async (t) => {
  // 1 ms + 10 µs per client: 1.00 to 1.99 ms
  const result = simulateRun({ clients: 100, probes: 50 })
  const { value } = await scrapeRun(t, result)
  const bucket = (le: string) => value('fanfare_delivery_latency_seconds_bucket', { le, replica })
  assert.equal(bucket('0.00063'), 0)
  assert.equal(bucket('0.001'), 50)
  assert.equal(bucket('0.0016'), 61 * 50)
  assert.equal(bucket('0.0025'), 100 * 50)
  assert.equal(bucket('600'), 100 * 50)
  assert.equal(bucket('+Inf'), 100 * 50)
  assert.equal(value('fanfare_delivery_latency_seconds_count', { replica }), 5_000)
  assert.ok(Math.abs(value('fanfare_delivery_latency_seconds_sum', { replica }) - 5_000 * 0.001495) < 1e-9)
  assert.ok(Math.abs(value('fanfare_delivery_mean_seconds', { replica }) - 0.001495) < 1e-12)
  assert.ok(Math.abs(value('fanfare_service_mean_seconds', { replica }) - 0.001455) < 1e-12)
  assert.equal(value('fanfare_connect_duration_seconds_count', { replica }), 100)
  assert.equal(value('fanfare_publish_lateness_seconds_bucket', { le: '0.0001', replica }), 50)
})

test('a slow client shows in completion, not in the mean', async (t) => {
  const result = simulateRun({ clients: 100, probes: 50, latencyUs: (client) => (client === 7 ? 500_000 : 1_000) })
  const { value } = await scrapeRun(t, result)
  assert.equal(value('fanfare_fanout_completion_seconds_count', { replica }), 50)
  assert.equal(value('fanfare_fanout_completion_seconds_bucket', { le: '0.4', replica }), 0)
  assert.equal(value('fanfare_fanout_completion_seconds_bucket', { le: '0.63', replica }), 50)
})

test('what has not come is outstanding until the drain ends, then lost', async (t) => {
  const result = simulateRun({
    clients: 100,
    probes: 50,
    latencyUs: (client, sequence) => (client < 5 && sequence === 49 ? undefined : 1_000),
  })
  const { receivers } = result
  const notSettled = { ...result, receivers: { ...receivers, measured: { ...receivers.measured, expected: 0, lost: 0 } } }

  const publishing = await scrapeRun(t, notSettled, 'publish')
  assert.equal(publishing.value('fanfare_deliveries_outstanding', { replica }), 5)
  assert.equal(publishing.value('fanfare_deliveries_lost_total', { replica }), 0)

  const drained = await scrapeRun(t, result, 'close')
  assert.equal(drained.value('fanfare_deliveries_outstanding', { replica }), 0)
  assert.equal(drained.value('fanfare_deliveries_lost_total', { replica }), 5)
})

test('blocked time counts while it lasts', async (t) => {
  const result = simulateRun()
  const { toUs } = result.receivers
  const blocked = [
    { startUs: STARTED_US, endUs: STARTED_US + 1_500_000, reason: 'low on memory' },
    { startUs: toUs - 500_000, endUs: undefined, reason: 'low on memory' },
  ]
  const { value } = await scrapeRun(t, { ...result, publisher: { ...result.publisher!, blocked } })
  assert.equal(value('fanfare_broker_blocked_seconds_total', { replica }), 2)
})

test('the verdict is absent from all outcomes until it is decided', async (t) => {
  const result = simulateRun()
  const undecided = await scrapeOnce(t, 'run', { state: () => stateOf(result, 'drain') })
  const decided = await scrapeOnce(t, 'run', { state: () => stateOf(result, 'done'), outcome: () => 'fail' })
  assert.equal(undecided.value('fanfare_run_verdict', { outcome: 'fail', replica }), 0)
  assert.equal(decided.value('fanfare_run_verdict', { outcome: 'fail', replica }), 1)
  assert.equal(decided.value('fanfare_run_verdict', { outcome: 'pass', replica }), 0)
})

test('a busy tester shows by thread role, and as bound', async (t) => {
  const result = simulateRun()
  const busy = thread('crowd', 0, { saturatedUs: 1_900_000 })
  const { value } = await scrapeRun(t, { ...result, receivers: { ...result.receivers, threads: [busy] } })
  assert.equal(value('fanfare_tester_loop_delay_seconds_count', { role: 'crowd', replica }), 3)
  assert.equal(value('fanfare_tester_loop_delay_seconds_count', { role: 'sentinels', replica }), 0)
  assert.equal(value('fanfare_tester_bound', { replica }), 1)
  assert.equal((await scrapeRun(t, result)).value('fanfare_tester_bound', { replica }), 0)
})

test('each side of a run with replicas exports its own series, so that sums are right', async (t) => {
  const result = simulateRun()
  const state = () => ({ ...stateOf(result, 'publish'), plan: { ...result.plan, replica: 3 } })
  const replicas = await scrapeOnce(t, 'replica', { state })
  const coordinator = await scrapeOnce(t, 'coordinator', { state })
  const shared = [...replicas.series].map(nameOf).filter((name) => [...coordinator.series].map(nameOf).includes(name))
  const allowed = metricNames.filter((name) => metricRow(name).owner === 'every')
  for (const name of shared)
    assert.ok(
      allowed.some((metric) => name.startsWith(metric)),
      name,
    )

  assert.equal(replicas.value('fanfare_deliveries_received_total', { replica: '3' }), 5_000)
  assert.equal(coordinator.value('fanfare_probes_published_total', { replica: 'coordinator' }), 50)
  assert.throws(() => replicas.value('fanfare_probes_published_total', { replica: '3' }))
  assert.throws(() => coordinator.value('fanfare_deliveries_received_total', { replica: 'coordinator' }))
})

test('the number of series is the same for an idle run of one client and a busy one of many', async (t) => {
  const small = simulateRun({ clients: 1, probes: 1 })
  const large = simulateRun({ clients: 300, probes: 200, neverReady: 20 })
  const idle = await scrapeOnce(t, 'run', { state: () => ({ ...stateOf(small, 'preflight'), publisher: undefined }) })
  const busy = await scrapeRun(t, large)
  assert.deepEqual([...idle.series].sort(), [...busy.series].sort())
})

test('every metric of the table is exported by a run, with its help', async (t) => {
  const { text } = await scrapeRun(t, simulateRun())
  for (const name of metricNames) {
    assert.ok(text.includes(`# HELP ${name} ${metricRow(name).help}\n`), name)
    assert.ok(text.includes(`# TYPE ${name} ${metricRow(name).type}\n`), name)
  }
})

test('docs/metrics.md holds the metrics that are exported (npm run docs)', () => {
  const page = readFileSync(new URL('../../../docs/metrics.md', import.meta.url), 'utf8')
  assert.ok(page.includes(metricTables()))
})

const hasPromtool = spawnSync('promtool', ['--version']).status === 0
if (hasPromtool || process.env.CI !== undefined) {
  test('promtool check metrics finds nothing to complain about', async (t) => {
    const { text } = await scrapeRun(t, simulateRun())
    assert.equal(execFileSync('promtool', ['check', 'metrics'], { input: text, encoding: 'utf8', stdio: ['pipe', 'pipe', 'pipe'] }), '')
  })
} else {
  console.log('not run: promtool check metrics, because there is no promtool (Debian package prometheus)')
}

const nameOf = (series: string): string => series.slice(0, series.indexOf('{'))
