/**
 * The publisher's thread against real RabbitMQ: what the embedded broker cannot show, since it would share the test's thread.
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { loadSettings } from '../../../src/config/load.ts'
import { makePlan } from '../../../src/config/plan.ts'
import { ProbeState } from '../../../src/measure/publisher-log.ts'
import { anchorRunClock } from '../../../src/measure/wall-clock.ts'
import { ThreadPublisher } from '../../../src/run/thread-publisher.ts'
import { eventually } from '../../doubles/eventually.ts'
import { Catcher } from '../../doubles/publishing.ts'

const EXCHANGE = 'fanfare.thread'
/** More than three heartbeats. */
const STANDSTILL_MS = 4_000
const bounded = { timeout: 60_000 }
const never = new AbortController().signal
const url = process.env.TEST_AMQP_ADDR!

const publisherOf = (settings: Record<string, string>): ThreadPublisher => {
  const env = { AMQP_EXCHANGE: EXCHANGE, AMQP_ADDR: url, ...settings }
  return new ThreadPublisher(makePlan(loadSettings({ env }).settings, anchorRunClock()))
}

test('a main thread that stands still costs the publisher neither its heartbeats nor its pace', bounded, async (t) => {
  const catcher = await Catcher.at(url, EXCHANGE)
  t.after(() => catcher.close())
  const publisher = publisherOf({ AMQP_ADDR: `${url}?heartbeat=1`, MSG_COUNT: '100000', RATE: '100' })
  t.after(() => publisher.close())
  await publisher.open(never)
  const stop = new AbortController()
  const outcome = publisher.publish(stop.signal)
  await eventually(() => publisher.snapshot().confirmed > 0, 'probes are confirmed')
  const before = publisher.log.streams[0]!.states.lastIndexOf(ProbeState.confirmed)
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, STANDSTILL_MS)
  const after = publisher.log.streams[0]!.states.lastIndexOf(ProbeState.confirmed)
  stop.abort()
  assert.equal(await outcome, 'aborted')
  assert.equal(publisher.snapshot().connectionLosses, 0)
  // 400 were due meanwhile; a thread that stood still as well would have sent none.
  assert.ok(after - before > 200, `${after - before} probes were confirmed meanwhile`)
})

test('ten thousand probes at full speed are each confirmed and there once', bounded, async (t) => {
  const catcher = await Catcher.at(url, EXCHANGE)
  t.after(() => catcher.close())
  const publisher = publisherOf({ MSG_COUNT: '10000', MSG_DELAY: '0' })
  t.after(() => publisher.close())
  await publisher.open(never)
  assert.equal(await publisher.publish(never), 'finished')
  const { confirmed, returned, outstanding } = publisher.snapshot()
  assert.deepEqual({ confirmed, returned, outstanding }, { confirmed: 10_000, returned: 0, outstanding: 0 })
  const bodies = await catcher.bodies()
  assert.equal(bodies.length, 10_000)
  assert.equal(new Set(bodies).size, 10_000)
})
