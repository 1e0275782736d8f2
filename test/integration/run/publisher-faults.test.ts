/**
 * The publisher against the embedded broker that misbehaves on request: what the books say is what the broker's truth log says it did.
 */
import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import type { AmqpInjectorOptions } from '../../../src/broker/amqp-injector.ts'
import { type Broker, startBroker } from '../../../src/embedded/broker.ts'
import type { Fault } from '../../../src/embedded/faults/fault.ts'
import { ProbeState } from '../../../src/measure/publisher-log.ts'
import type { PublisherSnapshot } from '../../../src/run/publisher.ts'
import { Catcher, publishingTo } from '../../doubles/publishing.ts'

const EXCHANGE = 'faults'
const bounded = { timeout: 30_000 }
const never = new AbortController().signal

interface Scene {
  readonly broker: Broker
  readonly catcher: Catcher
  readonly publisher: ReturnType<typeof publishingTo>['publisher']
  readonly notices: string[]
  readonly until: ReturnType<typeof publishingTo>['until']
}

/** A broker, somebody who listens, and an opened publisher: 200 probes with pacing closed, unless asked otherwise. */
async function scene(t: TestContext, settings: Record<string, string> = {}, over: Partial<AmqpInjectorOptions> = {}): Promise<Scene> {
  const broker = await startBroker()
  t.after(() => broker.close())
  const catcher = await Catcher.at(broker.url, EXCHANGE)
  t.after(() => catcher.close())
  const pace = 'RATE' in settings ? {} : { MSG_DELAY: '0' }
  const { publisher, notices, until } = publishingTo(
    broker.url,
    { AMQP_EXCHANGE: EXCHANGE, MSG_COUNT: '200', AMQP_WAIT_MS: '5000', ...pace, ...settings },
    over,
  )
  t.after(() => publisher.close())
  await publisher.open(never)
  return { broker, catcher, publisher, notices, until }
}

const didCount = (broker: Broker, did: string): number => broker.truth.filter((entry) => entry.did === did).length

function assertSumsHold({ scheduled, published, skipped, confirmed, returned, nacked, unknown, outstanding }: PublisherSnapshot): void {
  assert.equal(scheduled, published + skipped)
  assert.equal(published, confirmed + returned + nacked + unknown)
  assert.equal(outstanding, 0)
}

test('on a good day every probe is confirmed and in the queue once', bounded, async (t) => {
  const { catcher, publisher } = await scene(t)
  assert.equal(await publisher.publish(never), 'finished')
  const snapshot = publisher.snapshot()
  assertSumsHold(snapshot)
  assert.equal(snapshot.confirmed, 200)
  assert.equal(snapshot.confirmLatencyUs.count, 200)
  assert.equal(new Set(await catcher.bodies()).size, 200)
})

test('probes that no queue is bound for are returned, not confirmed', bounded, async (t) => {
  const { broker, publisher } = await scene(t)
  broker.faults.inject({ kind: 'delete-queue', queue: broker.state().queues[0]!.name })
  assert.equal(await publisher.publish(never), 'finished')
  const { returned, confirmed } = publisher.snapshot()
  assert.deepEqual({ returned, confirmed }, { returned: 200, confirmed: 0 })
  assert.equal(await publisher.canary(never), 'returned')
})

test('nacked probes are exactly those that the broker nacked', bounded, async (t) => {
  const { broker, publisher } = await scene(t)
  broker.faults.inject({ kind: 'nack', every: 3 })
  assert.equal(await publisher.publish(never), 'finished')
  assert.equal(publisher.snapshot().nacked, didCount(broker, 'nacked'))
  assert.equal(publisher.snapshot().nacked, 66)
})

test('confirms that never come fill the window; that is not waited for without end', bounded, async (t) => {
  const { broker, publisher } = await scene(t, { CONFIRM_WINDOW: '10' }, { stallMs: 300 })
  broker.faults.inject({ kind: 'confirm-drop', every: 10 })
  assert.equal(await publisher.publish(never), 'lost')
  const snapshot = publisher.snapshot()
  assertSumsHold(snapshot)
  assert.equal(snapshot.unknown, 10)
  assert.equal(snapshot.unknown, didCount(broker, 'confirm-dropped'))
  assert.equal(publisher.lostBecause?.code, 'broker-stalled')
})

test('confirms that are missing in the end leave their probes unknown, and publishing has finished', bounded, async (t) => {
  const { broker, publisher } = await scene(t, {}, { stallMs: 300 })
  broker.faults.inject({ kind: 'confirm-drop', every: 10 })
  assert.equal(await publisher.publish(never), 'finished')
  const snapshot = publisher.snapshot()
  assertSumsHold(snapshot)
  assert.equal(snapshot.unknown, 20)
  assert.equal(snapshot.unknown, didCount(broker, 'confirm-dropped'))
})

test('slow confirms fill the window, which is then the cause of late slots', bounded, async (t) => {
  const { broker, publisher } = await scene(t, { RATE: '1000', CONFIRM_WINDOW: '10' })
  broker.faults.inject({ kind: 'confirm-delay', delayMs: 50 })
  assert.equal(await publisher.publish(never), 'finished')
  const { latenessByCause, confirmLatencyUs } = publisher.snapshot()
  assert.ok(latenessByCause.window.count > latenessByCause.loop.count)
  assert.ok(confirmLatencyUs.min! >= 49_000)
})

test('an alarm is an interval with its reason, and probes wait for its end', bounded, async (t) => {
  const { broker, publisher, until } = await scene(t, { RATE: '500' })
  const outcome = publisher.publish(never)
  await until(({ confirmed }) => confirmed > 20, 'probes are confirmed')
  broker.faults.inject({ kind: 'alarm', reason: 'low on memory' })
  await until(({ obstacle }) => obstacle === 'blocked', 'the alarm is heard')
  broker.faults.inject({ kind: 'clear' })
  assert.equal(await outcome, 'finished')
  const { blocked, confirmed } = publisher.snapshot()
  assert.equal(confirmed, 200)
  assert.deepEqual(
    blocked.map(({ reason, endUs }) => [reason, endUs !== undefined]),
    [['low on memory', true]],
  )
})

/** Ways to lose the channel or the connection without the broker going away. */
const losses: [string, Fault][] = [
  ['the socket is reset', { kind: 'drop-sockets', how: 'reset', on: { role: 'publisher' } }],
  ['the socket is ended', { kind: 'drop-sockets', how: 'end', on: { role: 'publisher' } }],
  ['the connection is closed by force', { kind: 'close-connections', code: 320, on: { role: 'publisher' } }],
  ['the connection is closed for an internal error', { kind: 'close-connections', code: 541, on: { role: 'publisher' } }],
  ['the channel is closed', { kind: 'close-channels', code: 406, text: 'too large', on: { role: 'publisher' } }],
]

for (const [title, fault] of losses) {
  test(`${title}: what was outstanding is unknown, and the run goes on`, bounded, async (t) => {
    const { broker, catcher, publisher, until } = await scene(t, { RATE: '500', MSG_COUNT: '300' })
    // Confirms are held back, so that there is something to lose.
    broker.faults.inject({ kind: 'confirm-delay', delayMs: 40 })
    const outcome = publisher.publish(never)
    await until(({ confirmed }) => confirmed > 20, 'probes are confirmed')
    broker.faults.inject(fault)
    assert.equal(await outcome, 'finished')
    const snapshot = publisher.snapshot()
    assertSumsHold(snapshot)
    assert.equal(snapshot.connectionLosses, 1)
    assert.equal(snapshot.published, 300)
    assert.ok(snapshot.unknown > 0)
    // One connection came back, not several.
    assert.equal(broker.state().connections.filter(({ name }) => name === 'fanfare test publisher').length, 1)
    const heard = new Set((await catcher.bodies()).map((body) => Number(/\.(\d{10})\./.exec(body)?.[1])))
    publisher.log.streams[0]!.states.forEach((state, sequence) => {
      if (state === ProbeState.confirmed) assert.ok(heard.has(sequence), `probe ${sequence} is confirmed but not there`)
    })
  })

  test(`${title}: with RESEND=on every probe is confirmed in the end`, bounded, async (t) => {
    const { broker, catcher, publisher, until } = await scene(t, { RATE: '500', MSG_COUNT: '300', RESEND: 'on' })
    broker.faults.inject({ kind: 'confirm-delay', delayMs: 40 })
    const outcome = publisher.publish(never)
    await until(({ confirmed }) => confirmed > 20, 'probes are confirmed')
    broker.faults.inject(fault)
    assert.equal(await outcome, 'finished')
    const snapshot = publisher.snapshot()
    assert.equal(snapshot.confirmed, 300)
    assert.ok(snapshot.resent > 0)
    const bodies = await catcher.bodies()
    assert.equal(new Set(bodies.map((body) => /\.(\d{10})\./.exec(body)?.[1])).size, 300)
    // A probe that was sent again carries its first slot and a later time of sending.
    assert.ok(bodies.length >= 300 && bodies.length <= 300 + snapshot.resent)
  })
}

test('a broker that refuses to take the connection back is lost after AMQP_WAIT_MS, dialed with growing pauses', bounded, async (t) => {
  const { broker, publisher, until } = await scene(t, { RATE: '500', AMQP_WAIT_MS: '1000' })
  const outcome = publisher.publish(never)
  await until(({ confirmed }) => confirmed > 20, 'probes are confirmed')
  broker.faults.inject({ kind: 'refuse-connections' })
  broker.faults.inject({ kind: 'drop-sockets', how: 'reset', on: { role: 'publisher' } })
  assert.equal(await outcome, 'lost')
  assertSumsHold(publisher.snapshot())
  assert.equal(publisher.lostBecause?.code, 'broker-unreachable')
  // Each attempt is one dial and, to explain its failure, at most two looks at the port.
  assert.ok(didCount(broker, 'connection-refused') <= 3 * 8, `${didCount(broker, 'connection-refused')} dials in a second`)
})

test('a broker that takes connections but closes every channel is given up, not fed for ever', bounded, async (t) => {
  const { broker, publisher } = await scene(t, { RATE: '500', MSG_COUNT: '100000', AMQP_WAIT_MS: '1000', RESEND: 'on' })
  broker.faults.inject({ kind: 'refuse-method', method: 'basic.publish', code: 406, every: 1 })
  assert.equal(await publisher.publish(never), 'lost')
  assertSumsHold(publisher.snapshot())
})

test('a refused permission ends publishing at once', bounded, async (t) => {
  const { broker, publisher } = await scene(t, { RATE: '500', MSG_COUNT: '100000' })
  broker.faults.inject({ kind: 'refuse-method', method: 'basic.publish', code: 403, next: 1 })
  assert.equal(await publisher.publish(never), 'lost')
  assert.equal(publisher.lostBecause?.code, 'broker-access-refused')
})

test('a broker that drops the first connections while it boots is waited for', bounded, async (t) => {
  const broker = await startBroker()
  t.after(() => broker.close())
  const catcher = await Catcher.at(broker.url, EXCHANGE)
  t.after(() => catcher.close())
  broker.faults.inject({ kind: 'refuse-connections', next: 7 })
  const { publisher } = publishingTo(broker.url, { AMQP_EXCHANGE: EXCHANGE, MSG_COUNT: '1', AMQP_WAIT_MS: '10000' })
  t.after(() => publisher.close())
  await publisher.open(never)
  assert.equal(await publisher.publish(never), 'finished')
})

test('the connection has a name that an operator recognises, and only the publisher’s own', bounded, async (t) => {
  const { broker } = await scene(t)
  assert.ok(broker.state().connections.some(({ name }) => name === 'fanfare test publisher'))
  assert.equal(broker.state().connections.length, 2)
})

test('closing settles what is outstanding and ends the connection, also while blocked', bounded, async (t) => {
  const { broker, publisher, until } = await scene(t, { RATE: '500' })
  const stop = new AbortController()
  const outcome = publisher.publish(stop.signal)
  await until(({ confirmed }) => confirmed > 20, 'probes are confirmed')
  broker.faults.inject({ kind: 'alarm' })
  await until(({ obstacle }) => obstacle === 'blocked', 'the alarm is heard')
  stop.abort()
  assert.equal(await outcome, 'aborted')
  assertSumsHold(publisher.snapshot())
  await publisher.close()
  await publisher.close()
})
