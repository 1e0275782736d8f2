/**
 * The publisher on its thread, as a run holds it: calls, snapshots, the shared log, aborts, and the death of the thread.
 */
import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { loadSettings } from '../../../src/config/load.ts'
import { makePlan } from '../../../src/config/plan.ts'
import { type Broker, startBroker } from '../../../src/embedded/broker.ts'
import { FanfareError } from '../../../src/errors.ts'
import { ProbeState } from '../../../src/measure/publisher-log.ts'
import { anchorRunClock } from '../../../src/measure/wall-clock.ts'
import { ThreadPublisher } from '../../../src/run/thread-publisher.ts'
import { eventually } from '../../doubles/eventually.ts'
import { Catcher } from '../../doubles/publishing.ts'

const EXCHANGE = 'thread'
const bounded = { timeout: 30_000 }
const never = new AbortController().signal

async function stage(
  t: TestContext,
  settings: Record<string, string> = {},
): Promise<{ broker: Broker; catcher: Catcher; publisher: ThreadPublisher }> {
  const broker = await startBroker()
  t.after(() => broker.close())
  const catcher = await Catcher.at(broker.url, EXCHANGE)
  t.after(() => catcher.close())
  return { broker, catcher, publisher: publisherTo(t, broker.url, settings) }
}

function publisherTo(t: TestContext, url: string, settings: Record<string, string>): ThreadPublisher {
  const env = { AMQP_ADDR: url, AMQP_EXCHANGE: EXCHANGE, MSG_COUNT: '300', MSG_DELAY: '0', AMQP_WAIT_MS: '2000', ...settings }
  const publisher = new ThreadPublisher(makePlan(loadSettings({ env }).settings, anchorRunClock()))
  t.after(() => publisher.close())
  return publisher
}

test('canary, warm-up and measured probes go through the thread; log and snapshot agree in the end', bounded, async (t) => {
  const { catcher, publisher } = await stage(t, { WARMUP_COUNT: '5' })
  await publisher.open(never)
  assert.equal(await publisher.canary(never), 'confirmed')
  await publisher.warmUp(never)
  assert.equal(publisher.snapshot().published, 0)
  assert.equal(await publisher.publish(never), 'finished')

  const { scheduled, published, confirmed, outstanding, timeline, startedUs, endedUs } = publisher.snapshot()
  assert.deepEqual({ scheduled, published, confirmed, outstanding }, { scheduled: 300, published: 300, confirmed: 300, outstanding: 0 })
  assert.equal(
    timeline.reduce((sum, [, count]) => sum + count, 0),
    300,
  )
  const { states, sentUs } = publisher.log.streams[0]!
  assert.ok(states.every((state) => state === ProbeState.confirmed))
  assert.ok(sentUs.every((us) => us >= startedUs! && us <= endedUs!))
  assert.equal((await catcher.bodies()).length, 1 + 5 + 300)
})

test('the thread reads the run clock of its plan: probes are sent in the present', bounded, async (t) => {
  const { publisher } = await stage(t, { MSG_COUNT: '1' })
  await publisher.open(never)
  await publisher.publish(never)
  assert.ok(Math.abs(publisher.log.streams[0]!.sentUs[0]! / 1_000 - Date.now()) < 5_000)
  assert.ok(publisher.snapshot().clockBoundUs > 0)
})

test('snapshots come by themselves while publishing, and soon after they are asked for', bounded, async (t) => {
  const { publisher } = await stage(t, { RATE: '200', MSG_COUNT: '100000', MSG_DELAY: '' })
  await publisher.open(never)
  const stop = new AbortController()
  const outcome = publisher.publish(stop.signal)
  const first = await eventually(() => publisher.snapshot().published > 0 && publisher.snapshot(), 'a snapshot comes by itself')
  publisher.askForSnapshot()
  await eventually(() => publisher.snapshot().published > first.published, 'the snapshot that was asked for comes')
  stop.abort()
  assert.equal(await outcome, 'aborted')
  const { scheduled, published, skipped, confirmed, thread } = publisher.snapshot()
  assert.equal(published, confirmed)
  assert.equal(scheduled, published + skipped)
  assert.equal(thread.role, 'publisher')
  assert.ok(thread.spanUs > 0)
})

test('a broker that is not there is an error with its code, on this side of the thread', bounded, async (t) => {
  const publisher = publisherTo(t, 'amqp://guest:sesame@127.0.0.1:1', { AMQP_WAIT_MS: '0' })
  await assert.rejects(
    publisher.open(never),
    (error) => error instanceof FanfareError && error.code === 'broker-unreachable' && !error.message.includes('sesame'),
  )
})

test('a setting that only the injector can find wrong is an answer, not the death of the thread', bounded, async (t) => {
  const publisher = publisherTo(t, 'amqp://127.0.0.1:1?frameMax=1', {})
  await assert.rejects(publisher.open(never), { code: 'settings-invalid' })
})

test('waiting for a broker ends when the run is stopped', bounded, async (t) => {
  const publisher = publisherTo(t, 'amqp://127.0.0.1:1', { AMQP_WAIT_MS: '60000' })
  const stop = new AbortController()
  const opened = publisher.open(stop.signal)
  stop.abort()
  await assert.rejects(opened)
})

test('a broker that is lost for good is told with its reason', bounded, async (t) => {
  const { broker, publisher } = await stage(t, { RATE: '500', MSG_COUNT: '100000', MSG_DELAY: '', AMQP_WAIT_MS: '500' })
  await publisher.open(never)
  const outcome = publisher.publish(never)
  await eventually(() => publisher.snapshot().confirmed > 0, 'probes are confirmed')
  await broker.close()
  assert.equal(await outcome, 'lost')
  assert.equal(publisher.lostBecause?.code, 'broker-unreachable')
})

test('when the thread dies, publishing is lost with a fault, and the log has no probe without a fate', bounded, async (t) => {
  const { publisher } = await stage(t, { RATE: '500', MSG_COUNT: '100000', MSG_DELAY: '' })
  await publisher.open(never)
  const outcome = publisher.publish(never)
  const { states } = publisher.log.streams[0]!
  await eventually(() => states[50] !== ProbeState.absent, 'probes are published')
  // A log that says the next probes were sent already is a fault that the books notice.
  states.fill(ProbeState.confirmed, 60)
  assert.equal(await outcome, 'lost')
  assert.equal(publisher.lostBecause?.code, 'fault')
  assert.match(publisher.lostBecause.message, /thread died/)
  assert.ok(!states.includes(ProbeState.outstanding))
  await assert.rejects(publisher.canary(never), { code: 'fault' })
  await publisher.close()
})

test('a fault in the books that a confirm uncovers ends the thread; it is not taken for a lost connection', bounded, async (t) => {
  const { broker, publisher } = await stage(t, { RATE: '500', MSG_COUNT: '100000', MSG_DELAY: '' })
  await publisher.open(never)
  broker.faults.inject({ kind: 'confirm-delay', delayMs: 200 })
  const outcome = publisher.publish(never)
  const { states } = publisher.log.streams[0]!
  await eventually(() => states[10] === ProbeState.outstanding, 'probes are outstanding')
  states[10] = ProbeState.nacked
  assert.equal(await outcome, 'lost')
  assert.equal(publisher.lostBecause?.code, 'fault')
  assert.match(publisher.lostBecause.message, /probe 0\/10 was settled/)
})

test('closing is idempotent, and possible before anything was opened', bounded, async (t) => {
  const publisher = publisherTo(t, 'amqp://127.0.0.1:1', {})
  await Promise.all([publisher.close(), publisher.close()])
})
