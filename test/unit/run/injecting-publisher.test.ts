import assert from 'node:assert/strict'
import { test } from 'node:test'
import { loadSettings } from '../../../src/config/load.ts'
import { CANARY_STREAM, makePlan, type Plan, WARMUP_STREAM } from '../../../src/config/plan.ts'
import { FanfareError } from '../../../src/errors.ts'
import { ProbeState } from '../../../src/measure/publisher-log.ts'
import type { Probe } from '../../../src/probe/probe.ts'
import { InjectingPublisher } from '../../../src/run/injecting-publisher.ts'
import { noPublisherHealth } from '../../../src/run/publisher-thread-health.ts'
import { sharedLog } from '../../../src/run/shared-log.ts'
import { ManualTime } from '../../doubles/manual-time.ts'
import { ScriptedInjector } from '../../doubles/scripted-injector.ts'

const never = new AbortController().signal

function planOf(env: Record<string, string> = {}): Plan {
  const { settings } = loadSettings({ env: { MSG_COUNT: '2', MSG_DELAY: '0', WARMUP_COUNT: '3', CANARY_TIMEOUT_MS: '50', ...env } })
  const plan = makePlan(settings, { runClockOffsetUs: 0 })
  return { ...plan, streams: [0, 1].map((index) => ({ index, name: `public.${index}`, routingKey: `key.${index}` })) }
}

async function publisherOf(env?: Record<string, string>) {
  const plan = planOf(env)
  const time = new ManualTime()
  const injector = new ScriptedInjector()
  const stamped: Probe[] = []
  const notices: string[] = []
  const publisher = new InjectingPublisher({
    plan,
    injector,
    log: sharedLog(plan),
    template: {
      render: (probe) => {
        stamped.push(probe)
        return Buffer.alloc(0)
      },
    },
    nowUs: time.nowUs,
    clockBoundUs: 1,
    makeAlarm: time.makeAlarm,
    health: () => noPublisherHealth(0),
    notice: (text) => notices.push(text),
    lost: (error) => notices.push(error.message),
  })
  await publisher.open(never)
  return { plan, time, injector, stamped, notices, publisher }
}

test('the canary sends one probe to every stream, under a stream index of its own', async () => {
  const { injector, stamped, publisher } = await publisherOf()
  const outcome = publisher.canary(never)
  assert.deepEqual(
    injector.injected.map(({ routingKey }) => routingKey),
    ['key.0', 'key.1'],
  )
  assert.ok(stamped.every(({ stream }) => stream === CANARY_STREAM))
  injector.settle('confirmed', { count: 2 })
  assert.equal(await outcome, 'confirmed')

  // By its sequence a client can tell which of its streams it has heard, in whichever flight.
  const again = publisher.canary(never)
  injector.settle('confirmed', { count: 2 })
  assert.equal(await again, 'confirmed')
  assert.deepEqual(
    stamped.map(({ sequence }) => sequence),
    [0, 1, 0, 1],
  )
})

test('the worst fate among the streams is the canary’s', async () => {
  const { injector, publisher } = await publisherOf()
  const outcome = publisher.canary(never)
  injector.settle('returned')
  injector.settle('confirmed')
  assert.equal(await outcome, 'returned')
})

test('a canary that nobody confirms times out, and its late confirm is not taken for the next one’s', async () => {
  const { injector, publisher } = await publisherOf()
  assert.equal(await publisher.canary(never), 'timeout')
  const second = publisher.canary(never)
  injector.settle('nacked', { count: 2 })
  injector.settle('confirmed', { count: 2 })
  assert.equal(await second, 'confirmed')
})

test('the canary waits for an obstacle to go away, within its timeout', async () => {
  const { injector, publisher } = await publisherOf()
  injector.stand('blocked')
  const outcome = publisher.canary(never)
  assert.equal(injector.injected.length, 0)
  injector.stand(undefined)
  injector.settle('confirmed', { count: 2 })
  assert.equal(await outcome, 'confirmed')
})

test('a canary that was given up is not sent later', async () => {
  const { injector, publisher } = await publisherOf()
  injector.stand('blocked')
  const abort = new AbortController()
  const outcome = publisher.canary(abort.signal)
  abort.abort()
  assert.equal(await outcome, 'timeout')
  injector.stand(undefined)
  assert.equal(injector.injected.length, 0)
})

test('warm-up probes go to every stream, are waited for, and stand outside the figures', async () => {
  const { time, injector, stamped, publisher } = await publisherOf()
  const warm = publisher.warmUp(never)
  time.advance(0)
  assert.equal(injector.injected.length, 6)
  assert.ok(stamped.every(({ stream }) => stream === WARMUP_STREAM))
  // One numbering for all streams, so that a client with several of them hears each number once.
  assert.deepEqual(
    stamped.map(({ sequence }, index) => `${injector.injected[index]!.routingKey} ${sequence}`),
    ['key.0 0', 'key.1 3', 'key.0 1', 'key.1 4', 'key.0 2', 'key.1 5'],
  )
  injector.settle('confirmed', { count: 6 })
  await warm
  const { scheduled, published, startedUs } = publisher.snapshot()
  assert.deepEqual({ scheduled, published, startedUs }, { scheduled: 0, published: 0, startedUs: undefined })
})

test('the log tells the state and the time of sending of every measured probe', async () => {
  const { time, injector, publisher } = await publisherOf()
  const outcome = publisher.publish(never)
  injector.settle('confirmed')
  injector.settle('returned')
  injector.settle('nacked')
  injector.settle('confirmed')
  assert.equal(await outcome, 'finished')
  const { confirmed, returned, nacked } = ProbeState
  assert.deepEqual(
    publisher.log.streams.map(({ states }) => [...states]),
    [
      [confirmed, nacked],
      [returned, confirmed],
    ],
  )
  assert.ok(publisher.log.streams.every(({ sentUs }) => sentUs.every((us) => us === time.nowUs())))
  const { scheduled, published, outstanding } = publisher.snapshot()
  assert.deepEqual({ scheduled, published, outstanding }, { scheduled: 4, published: 4, outstanding: 0 })
})

test('blocked intervals are recorded with their reason, the open one without an end', async () => {
  const { time, injector, notices, publisher } = await publisherOf()
  const startUs = time.nowUs()
  injector.listener!.onBlocked(true, 'low on memory')
  time.advance(2_000_000)
  injector.listener!.onBlocked(false, '')
  injector.listener!.onBlocked(true, 'low on disk')
  assert.deepEqual(publisher.snapshot().blocked, [
    { startUs, endUs: startUs + 2_000_000, reason: 'low on memory' },
    { startUs: startUs + 2_000_000, endUs: undefined, reason: 'low on disk' },
  ])
  assert.match(notices[0]!, /low on memory/)
})

test('a lost broker ends whatever is being published, and what is asked for later', async () => {
  const { injector, publisher } = await publisherOf({ MSG_DELAY: '30' })
  const outcome = publisher.publish(never)
  injector.disconnect()
  injector.listener!.onLost(new FanfareError('broker-unreachable', 'Nothing listens any more.'))
  assert.equal(await outcome, 'lost')
  assert.equal(publisher.lostBecause?.code, 'broker-unreachable')
  assert.equal(publisher.snapshot().connectionLosses, 1)
  assert.equal(await publisher.canary(never), 'unknown')
})

test('a broker that was lost before publishing is not published to', async () => {
  const { injector, publisher } = await publisherOf()
  injector.listener!.onLost(new FanfareError('broker-stalled', 'It takes nothing.'))
  assert.equal(await publisher.publish(never), 'lost')
  assert.equal(publisher.snapshot().scheduled, 0)
})
