import assert from 'node:assert/strict'
import { test } from 'node:test'
import { FanfareError } from '../../../src/errors.ts'
import { decodeCounts } from '../../../src/measure/hdr-encoding.ts'
import { emptyHistogram } from '../../../src/measure/histogram.ts'
import { buildReport } from '../../../src/report/build.ts'
import { summaryText } from '../../../src/report/console.ts'
import { MAX_STREAM_ROWS } from '../../../src/report/groups/streams.ts'
import { headline } from '../../../src/report/headline.ts'
import { type Report, reportSchema } from '../../../src/report/schema.ts'
import type { warningsTable } from '../../../src/report/warnings.ts'
import type { ReplicaRow, RunResult } from '../../../src/run/result.ts'
import { histogram, type SimulatedRun, STARTED_US, simulateRun, thread } from '../../fixtures/simulated-run.ts'

const reportOf = (scenario: Partial<SimulatedRun> = {}, changes: Partial<RunResult> = {}): Report =>
  buildReport(simulateRun(scenario, changes), '0.1.0')

/** The same result with other publisher figures. */
const withPublisher = (change: Partial<NonNullable<RunResult['publisher']>>, result = simulateRun()): RunResult => ({
  ...result,
  publisher: { ...result.publisher!, ...change },
})

/** The same result as if two replicas had each heard all of it. */
const withReplicas = (result: RunResult): RunResult => ({
  ...result,
  replicas: [1, 2].map((replica) => ({
    replica,
    name: `host-${replica}`,
    receivers: result.receivers,
    clock: { isShared: true, offsetUs: 0, boundUs: 0, steps: 0 },
  })),
})

const warningCodes = (report: Report): string[] => report.verdict.warnings.map(({ code }) => code)

test('what is built is what the schema says, whole and without anything left over', () => {
  for (const report of [reportOf(), reportOf({ neverReady: 3, latencyUs: () => undefined })]) {
    const read = JSON.parse(JSON.stringify(report))
    assert.deepEqual(JSON.parse(JSON.stringify(reportSchema.parse(read))), read)
  }
})

test('the head of a report says which run it was, when, how long and how it ended', () => {
  const report = reportOf()
  assert.equal(report.schema, 'fanfare.report/1')
  assert.equal(report.runId, 'fixt0001')
  assert.equal(report.startedAt, '2026-01-02T03:04:05.250Z')
  assert.equal(report.stopReason, 'complete')
  assert.equal(report.pacing, 'open')
  assert.deepEqual(Object.keys(report).slice(0, 7), ['schema', 'runId', 'startedAt', 'durationMs', 'stopReason', 'pacing', 'verdict'])
})

test('books, clients and latencies are those of the run', () => {
  const report = reportOf({ clients: 100, probes: 50 })
  assert.deepEqual(
    [report.deliveries.expected, report.deliveries.delivered, report.deliveries.lost, report.deliveries.missed],
    [5_000, 5_000, 0, 0],
  )
  assert.equal(report.latencyUs.count, 5_000)
  assert.equal(report.latencyUs.min, 1_000)
  assert.equal(report.latencyUs.max, 1_990)
  assert.ok(Math.abs(report.latencyUs.mean! - 1_495) < 1e-6)
  assert.ok(Math.abs(report.serviceLatencyUs.mean! - 1_455) < 1e-6)
  assert.equal(report.latencyUs.boundUs, 3)
  assert.equal(report.verdict.outcome, 'pass')
  assert.equal(report.verdict.exitCode, 0)
  assert.deepEqual(report.verdict.reasons, [])
})

test('a percentile with fewer than ten samples beyond it is absent, not zero', () => {
  const { latencyUs, fanout } = reportOf({ clients: 10, probes: 50 })
  assert.ok(latencyUs.p95 !== undefined)
  assert.equal(latencyUs.p99, undefined)
  assert.ok(fanout.completionUs.p50 !== undefined)
  assert.equal(fanout.completionUs.p90, undefined)
})

test('what a run cannot know is absent: no publisher, no pacing, no offered rate', () => {
  const report = reportOf({ env: { INJECTOR: 'none' } }, { publisher: undefined })
  for (const absent of [
    report.publish,
    report.pacing,
    report.canary,
    report.warmup,
    report.deliveries.offeredPerSecond,
    report.deliveries.timeToEmptyMs,
  ]) {
    assert.equal(absent, undefined)
  }
  assert.equal(JSON.stringify(report).includes('"publish":'), false)
})

test('offered and delivered rates, and the time to empty, come from the same run', () => {
  const { deliveries } = reportOf({ clients: 100, probes: 50, gapUs: 20_000, latencyUs: () => 5_000 })
  assert.ok(Math.abs(deliveries.offeredPerSecond! - 100 * 50) < 1e-6)
  assert.ok(Math.abs(deliveries.ratePerSecond! - 5_000 / (49 * 0.02)) < 1)
  assert.ok(Math.abs(deliveries.timeToEmptyMs! - 4.96) < 1e-3)
})

test('completion and spread tell one slow client that a mean over deliveries hides', () => {
  const { fanout, latencyUs } = reportOf({ latencyUs: (client) => (client === 7 ? 500_000 : 1_000) })
  assert.ok(latencyUs.p50! < 1_010)
  assert.ok(fanout.firstUs.p50! < 1_010)
  assert.ok(fanout.completionUs.p50! >= 499_900)
  assert.ok(fanout.spreadUs.p50! >= 498_900)
  assert.equal(fanout.incomplete, 0)
})

test('probes that not everybody heard are incomplete, and lead the worst', () => {
  const report = reportOf({ latencyUs: (client, sequence) => (sequence === 3 || (sequence === 9 && client < 2) ? undefined : 1_000) })
  assert.equal(report.fanout.incomplete, 2)
  assert.equal(report.fanout.completionUs.count, 48)
  const [worst] = report.worst.probes
  assert.ok(worst!.missing === 2 || worst!.missing === 100)
  assert.equal(report.worst.clients[0]?.missing, 2)
  assert.equal(report.worst.clients[0]?.localPort, 40_000)
})

test('the timeline has an entry for every second, silent ones too', () => {
  const { timeline, latencyBucketBoundsUs } = reportOf({ probes: 4, gapUs: 2_000_000, latencyUs: () => 150 })
  const active = timeline.filter(({ delivered }) => delivered > 0)
  assert.equal(active.length, 4)
  assert.deepEqual([...new Set(timeline.slice(1).map(({ atMs }, index) => Math.round(atMs - timeline[index]!.atMs)))], [1_000])
  assert.ok(timeline.some(({ published, delivered }) => published === 0 && delivered === 0))
  assert.equal(timeline.at(-1)!.ready, 100)
  // 150 µs lies between the bounds 126 and 158 µs
  const [[bucket, count]] = active[0]!.latencyBuckets as [[number, number]]
  assert.deepEqual([latencyBucketBoundsUs[bucket - 1], latencyBucketBoundsUs[bucket], count], [126, 158, 100])
})

test('the timeline tells how many clients are there, also after some were lost and came back', () => {
  const result = simulateRun({ clients: 100, probes: 200 })
  const [, second, third, ...later] = result.receivers.timeline
  const changed = [
    { ...second!, connected: -7, disconnected: 7 },
    { ...third!, connected: 5 },
  ]
  const { timeline } = buildReport(
    { ...result, receivers: { ...result.receivers, timeline: [result.receivers.timeline[0]!, ...changed, ...later] } },
    '0.1.0',
  )
  assert.deepEqual(
    timeline
      .filter(({ delivered }) => delivered > 0)
      .map(({ ready }) => ready)
      .slice(0, 3),
    [93, 98, 98],
  )
})

test('bucket counts of a second add up to its deliveries, whatever their latencies', () => {
  const { timeline } = reportOf({ latencyUs: (client, sequence) => (client + 1) * 10 ** (sequence % 9) })
  for (const { delivered, latencyBuckets } of timeline) {
    assert.equal(
      latencyBuckets.reduce((sum, [, count]) => sum + count, 0),
      delivered,
    )
  }
})

test('histograms are there in the standard encoding, negative values in one of their own', () => {
  const negative = histogram([-300, -300, 5, 700])
  const result = simulateRun()
  const { histograms } = buildReport(
    { ...result, receivers: { ...result.receivers, latencyUs: negative, sentinelLatencyUs: emptyHistogram() } },
    '0.1.0',
  )
  assert.deepEqual([...decodeCounts(histograms.latency!).index], [5, 700])
  assert.deepEqual(decodeCounts(histograms.latencyNegative!), { index: [300], count: [2] })
  assert.ok(histograms.completion !== undefined)
  assert.equal(histograms.sentinelLatency, undefined)
})

test('settings are told by variable, secrets are not told at all', () => {
  const report = reportOf({
    env: { WS_HEADERS: 'Cookie: session=topsecret', WS_ADDR: 'wss://bob:pa55@example.com/?token=abcdef&stream=x' },
  })
  const text = JSON.stringify(report)
  for (const secret of ['hunter2', 'eyJhbGciOi', 'topsecret', 'pa55', 'abcdef']) assert.equal(text.includes(secret), false, secret)
  assert.match(String(report.settings.AMQP_ADDR), /^amqp:\/\/alice:\*\*\*@broker\.example/)
  assert.equal(String(report.settings.WS_POOL_SIZE), '100')
  assert.match(report.targets![0]!.url, /^wss:\/\/bob:\*\*\*@example\.com/)
})

test('thresholds are judged on the run, and name what is broken', () => {
  const report = reportOf({ env: { THRESHOLDS: 'p99<1.5ms, completion.max<2ms, rate>=0.99*asked, confirmed==100%' } })
  assert.equal(report.verdict.exitCode, 1)
  assert.deepEqual(
    report.verdict.checks.map(({ name, ok }) => [name, ok]),
    [
      ['lost==0', true],
      ['missed==0', true],
      ['ready==100%', true],
      ['p99<1.5ms', false],
      ['completion.max<2ms', true],
      ['rate>=0.99*asked', true],
      ['confirmed==100%', true],
    ],
  )
  assert.deepEqual(
    report.verdict.reasons.map(({ code }) => code),
    ['check-broken'],
  )
})

test('more than one percent lost: p99 is not reached, and the run fails', () => {
  const report = reportOf({ latencyUs: (client) => (client < 2 ? undefined : 1_000), env: { THRESHOLDS: 'p99<1s, p90<1s' } })
  const [, , , p99, p90] = report.verdict.checks
  assert.match(p99!.why ?? '', /^not reached: 100 of 5,000 never came/)
  assert.equal(p90!.ok, true)
  assert.equal(report.verdict.outcome, 'fail')
})

test('a run that could not be carried out still has its report, with the sentence and exit code 3', () => {
  const failure = new FanfareError('broker-unreachable', 'Nothing answers at amqp://127.0.0.1:1/ (connection refused)')
  const report = reportOf(
    { clients: 1, probes: 1, neverReady: 1 },
    { stopReason: 'failed', failure, publisher: undefined, publishEndedUs: undefined },
  )
  assert.equal(report.verdict.exitCode, 3)
  assert.deepEqual(report.verdict.reasons, [{ code: 'broker-unreachable', text: failure.message }])
})

test('a busy tester makes the run invalid, with ALLOW_INVALID a warning', () => {
  const busy = { receivers: { ...simulateRun().receivers, threads: [thread('crowd', 0, { saturatedUs: 1_900_000 })] } }
  const invalid = reportOf({}, busy)
  assert.deepEqual([invalid.verdict.outcome, invalid.verdict.exitCode, invalid.tester.health], ['invalid', 4, 'bound'])
  const allowed = reportOf({ env: { ALLOW_INVALID: 'true' } }, busy)
  assert.deepEqual([allowed.verdict.outcome, warningCodes(allowed)], ['pass', ['tester-bound-allowed']])
})

test('each replica has its rows, with the seed tool’s two figures', () => {
  const report = buildReport(withReplicas(simulateRun()), '0.1.0')
  assert.deepEqual(
    report.replicas.map(({ replica, name }) => [replica, name]),
    [
      [1, 'host-1'],
      [2, 'host-2'],
    ],
  )
  assert.equal(report.replicas[1]!.deliveries.delivered, 5_000)
  assert.ok(Math.abs(report.replicas[1]!.serviceLatencyUs.mean! - 1_455) < 1e-6)
  const lines = summaryText(report).split('\n')
  assert.match(lines.find((line) => line.startsWith('2 host-2'))!, /100 of 100 +5,000 +1\.46 ms/)
})

test('a replica whose clients are not all ready is named, beside the shortfall of all', () => {
  const result = withReplicas(simulateRun({ neverReady: 3 }))
  const report = buildReport({ ...result, replicas: [withReplicas(simulateRun()).replicas[0]!, result.replicas[1]!] }, '0.1.0')
  assert.deepEqual(warningCodes(report), ['shortfall', 'replica-shortfall'])
  assert.match(report.verdict.warnings[1]!.text, /2 \(host-2\) 97 of 100$/)
})

test('replicas with clocks of their own are told apart, and figures that span them carry both bounds', () => {
  const result = withReplicas(simulateRun())
  const [one, two] = result.replicas as [ReplicaRow, ReplicaRow]
  const own = { isShared: false, offsetUs: -5_000, boundUs: 700, steps: 1 }
  const report = buildReport(
    {
      ...result,
      receivers: { ...result.receivers, clockBoundUs: 700 },
      replicas: [
        { ...one, receivers: { ...one.receivers, clockBoundUs: 700 }, clock: own },
        { ...two, receivers: { ...two.receivers, clockBoundUs: 400 } },
      ],
    },
    '0.1.0',
  )
  assert.equal(report.clock.shared, false)
  assert.deepEqual(report.clock.offsets, [{ replica: 1, offsetUs: -5_000, boundUs: 700, steps: 1 }])
  assert.ok(report.latencyUs.boundUs! >= 700 && report.latencyUs.boundUs! < 1_100)
  assert.ok(report.fanout.boundUs! >= 1_100)
  assert.ok(warningCodes(report).includes('clock-stepped'))
})

test('warnings of the run come first, then what the figures tell', () => {
  const report = reportOf({ neverReady: 3 }, { warnings: [{ code: 'wall-jump', text: 'The wall clock jumped' }] })
  assert.deepEqual(warningCodes(report), ['wall-jump', 'shortfall'])
  assert.match(report.verdict.warnings[1]!.text, /3 of 100 clients never became ready \(3 × refused\)/)
})

interface WarningRow {
  readonly code: keyof typeof warningsTable
  readonly result: RunResult
  readonly words: RegExp
}

const clean = simulateRun()
const receivers = (change: Partial<RunResult['receivers']>, result = clean): RunResult => ({
  ...result,
  receivers: { ...result.receivers, ...change },
})
const measured = (change: Partial<RunResult['receivers']['measured']>): RunResult =>
  receivers({ measured: { ...clean.receivers.measured, ...change } })

const warningRows: WarningRow[] = [
  { code: 'shortfall', result: simulateRun({ neverReady: 1 }), words: /1 of 100 clients/ },
  {
    code: 'heard-nothing',
    result: simulateRun({ latencyUs: (client) => (client === 0 ? undefined : 1_000) }),
    words: /1 client was ready and heard no probe/,
  },
  {
    code: 'slow-client-cut',
    result: (() => {
      const cut = simulateRun({ latencyUs: (client, sequence) => (client === 4 && sequence > 20 ? undefined : 1_000) })
      const [row] = cut.receivers.worstClients
      return receivers(
        { errorsByCode: { 'cut-by-target': 1 }, worstClients: [{ ...row!, endCode: 'cut-by-target', passBusyUs: 1_200 }] },
        cut,
      )
    })(),
    words: /client 4 \(127\.0\.0\.1:40004\) had last heard probe 20, and the tester's loop had then been busy for 1\.2 ms/,
  },
  {
    code: 'overload',
    result: simulateRun({ gapUs: 10_000, latencyUs: (_, sequence) => 1_000 + sequence * 100_000 }),
    words: /offered, .* delivered, 4\.9 s to empty .* depth of a queue/,
  },
  {
    code: 'pacing-closed',
    result: { ...clean, plan: { ...clean.plan, publish: { ...clean.plan.publish, pace: { kind: 'closed' } } } },
    words: /stalls/,
  },
  { code: 'rate-not-reached', result: withPublisher({ achievedRatePerSecond: 20 }), words: /33\.3\/s asked, 20\/s published/ },
  {
    code: 'broker-pressure',
    result: withPublisher({
      latenessByCause: { ...clean.publisher!.latenessByCause, window: { count: 7, totalUs: 300_000, maxUs: 90_000 } },
    }),
    words: /7 probes up to 90 ms \(window\)/,
  },
  {
    code: 'broker-blocked',
    result: withPublisher({ blocked: [{ startUs: STARTED_US, endUs: STARTED_US + 1_500_000, reason: 'low on memory' }] }),
    words: /1 time, 1\.5 s in all \(low on memory\)/,
  },
  { code: 'broker-reconnected', result: withPublisher({ connectionLosses: 2 }), words: /lost 2 times/ },
  { code: 'probes-skipped', result: withPublisher({ skipped: 5 }), words: /5 of 50 probes/ },
  { code: 'probes-returned', result: withPublisher({ returned: 5 }), words: /no queue for 5 probes/ },
  { code: 'probes-nacked', result: withPublisher({ nacked: 1 }), words: /refused 1 probe/ },
  { code: 'probes-unknown', result: withPublisher({ unknown: 9 }), words: /confirms of 9 probes/ },
  { code: 'late-deliveries', result: measured({ late: 4 }), words: /4 deliveries .* QUIET_MS/ },
  { code: 'foreign-probes', result: measured({ foreign: 4 }), words: /4 probes of another run/ },
  { code: 'unexpected-probes', result: measured({ unexpected: 4 }), words: /4 deliveries came on streams/ },
  { code: 'error-frames', result: receivers({ otherFrames: { error: 2 } }), words: /2 error frames/ },
  {
    code: 'negative-latency',
    result: receivers({ latencyUs: histogram([-900, 1_000]), measured: { ...clean.receivers.measured, negativeLatency: 1 } }),
    words: /by up to 900 µs: more than the clock bound of ± 3 µs/,
  },
  {
    code: 'tail-invisible',
    result: { ...clean, plan: { ...clean.plan, publish: { ...clean.plan.publish, countPerStream: undefined } } },
    words: /lost tail/,
  },
  { code: 'fanout-capped', result: receivers({ fanoutCapped: 10 }), words: /10/ },
]

for (const { code, result, words } of warningRows) {
  test(`warning ${code} is given when it applies, and not otherwise`, () => {
    const warning = buildReport(result, '0.1.0').verdict.warnings.find((found) => found.code === code)
    assert.match(warning?.text ?? 'no warning', words)
    assert.ok(!warningCodes(buildReport(clean, '0.1.0')).includes(code))
  })
}

test('a negative latency that the clock bound explains is no warning', () => {
  const result = receivers({ latencyUs: histogram([-2, 1_000]), measured: { ...clean.receivers.measured, negativeLatency: 1 } })
  assert.ok(!warningCodes(buildReport(result, '0.1.0')).includes('negative-latency'))
})

/** A passed run whose books say what each stream got. */
const withStreams = (streams: RunResult['receivers']['streams'], env: Record<string, string> = {}): RunResult => {
  const result = simulateRun({ env })
  return { ...result, receivers: { ...result.receivers, streams } }
}
const streamCounts = (stream: number, missed = 0) => ({ stream, clients: 10, expected: 50, delivered: 50 - missed, missed, lost: 0 })

test('every stream has a row with its name, and the headline speaks of streams when there are several', () => {
  const result = withStreams([streamCounts(0), streamCounts(1)], { STREAMS: '2', STREAM: 'public.{{index}}' })
  const report = buildReport(result, '0.1.0')
  assert.deepEqual(report.streams, [
    { index: 0, name: 'public.0', clients: 10, expected: 50, delivered: 50, missed: 0, lost: 0 },
    { index: 1, name: 'public.1', clients: 10, expected: 50, delivered: 50, missed: 0, lost: 0 },
  ])
  assert.match(headline(report).sentence, /^all 100 clients heard every probe of their streams \(50 probes in 2 streams\);/)
})

test('of very many streams those that miss most are kept, in the order of their numbers', () => {
  const streams = Array.from({ length: MAX_STREAM_ROWS + 5 }, (_, stream) => streamCounts(stream, stream === MAX_STREAM_ROWS + 2 ? 7 : 0))
  const rows = buildReport(withStreams(streams), '0.1.0').streams!
  assert.equal(rows.length, MAX_STREAM_ROWS)
  assert.deepEqual([rows.at(-1)!.index, rows.at(-1)!.missed, rows[0]!.index], [MAX_STREAM_ROWS + 2, 7, 0])
})

test('failures are told with what one of them said', () => {
  const result = simulateRun({ neverReady: 2 })
  const receivers = {
    ...result.receivers,
    errorsByCode: { 'subscription-refused': 2 },
    errorTexts: { 'subscription-refused': 'CONNECT was refused: not authorized (135)' },
  }
  const report = buildReport({ ...result, receivers }, '0.1.0')
  assert.deepEqual(report.clients.errorTexts, receivers.errorTexts)
  assert.match(
    report.verdict.warnings.find(({ code }) => code === 'shortfall')!.text,
    /2 × subscription-refused: CONNECT was refused: not authorized \(135\)/,
  )
})
