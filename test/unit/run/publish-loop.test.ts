import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import type { InjectionOutcome } from '../../../src/broker/injector.ts'
import type { Pace } from '../../../src/measure/pacer.ts'
import { ProbeState, type PublisherLog } from '../../../src/measure/publisher-log.ts'
import type { Probe } from '../../../src/probe/probe.ts'
import { PublishBooks } from '../../../src/run/publish-books.ts'
import { PublishLoop } from '../../../src/run/publish-loop.ts'
import type { PublishOutcome } from '../../../src/run/publisher.ts'
import { ManualTime } from '../../doubles/manual-time.ts'
import { ScriptedInjector } from '../../doubles/scripted-injector.ts'

const GAP_US = 30_000

interface Ask {
  readonly slots?: number
  readonly streams?: number
  readonly pace?: Pace
  readonly catchUp?: 'burst' | 'skip'
  readonly resend?: boolean
  readonly window?: number
}

/** A loop on manual time with real books, and everything it stamped. */
function loopOf({ slots = 10, streams = 1, pace = { kind: 'open', gapUs: GAP_US }, catchUp = 'burst', resend = false, window }: Ask = {}) {
  const time = new ManualTime()
  const injector = new ScriptedInjector(window === undefined ? {} : { window })
  const indices = [...Array(streams).keys()]
  const log: PublisherLog = {
    streams: indices.map((stream) => ({ stream, count: slots, sentUs: new Float64Array(slots), states: new Uint8Array(slots) })),
  }
  const books = new PublishBooks(log)
  const stamped: Probe[] = []
  const loop = new PublishLoop({
    runId: 'k3v9q2x1',
    streams: indices.map((index) => ({ index, routingKey: `key.${index}` })),
    pacer: { pace, catchUp, slots },
    template: {
      render: (probe) => {
        stamped.push(probe)
        return Buffer.alloc(0)
      },
    },
    injector,
    sink: books,
    resend,
    nowUs: time.nowUs,
    makeAlarm: time.makeAlarm,
  })
  injector.listener = {
    onSettled: (stream, sequence, outcome, confirmUs) => loop.settled(stream, sequence, outcome, confirmUs),
    onObstacleChanged: () => loop.obstacleChanged(),
    onBlocked: () => undefined,
    onConnection: () => undefined,
    onLost: () => loop.lost(),
  }
  const startUs = time.nowUs()
  const abort = new AbortController()
  const outcome = loop.run(abort.signal)
  return { time, injector, log, books, stamped, loop, startUs, abort, outcome }
}

const promptly = async (outcome: Promise<PublishOutcome>): Promise<PublishOutcome | 'still running'> =>
  Promise.race([outcome, new Promise<'still running'>((resolve) => setImmediate(() => resolve('still running')))])

test('each probe is sent in its slot and stamped with both times', async () => {
  const { time, injector, stamped, startUs, outcome } = loopOf({ slots: 3 })
  assert.deepEqual(injector.sequences(), [0])
  time.advance(GAP_US - 1)
  assert.deepEqual(injector.sequences(), [0])
  time.advance(1)
  time.advance(GAP_US)
  assert.deepEqual(
    stamped.map(({ sequence, intendedUs, sentUs }) => [sequence, intendedUs - startUs, sentUs - startUs]),
    [
      [0, 0, 0],
      [1, GAP_US, GAP_US],
      [2, 2 * GAP_US, 2 * GAP_US],
    ],
  )
  injector.settle('confirmed', { count: 3 })
  assert.equal(await outcome, 'finished')
})

test('publishing has not finished while a probe is outstanding', async () => {
  const { time, injector, outcome } = loopOf({ slots: 2 })
  time.advance(GAP_US)
  injector.settle('confirmed')
  assert.equal(await promptly(outcome), 'still running')
  injector.settle('confirmed')
  assert.equal(await outcome, 'finished')
})

test('several streams take turns, evenly over a slot, and each keeps to its own gap', () => {
  const { time, injector, stamped, startUs } = loopOf({ slots: 2, streams: 2 })
  for (let turn = 0; turn < 3; turn++) time.advance(GAP_US / 2)
  assert.deepEqual(
    injector.injected.map(({ stream, sequence, routingKey }) => [stream, sequence, routingKey]),
    [0, 1].flatMap((sequence) => [0, 1].map((stream) => [stream, sequence, `key.${stream}`])),
  )
  assert.deepEqual(
    stamped.map(({ intendedUs }) => intendedUs - startUs),
    [0, GAP_US / 2, GAP_US, (3 * GAP_US) / 2],
  )
})

test('slots keep to absolute time however late the loop wakes', () => {
  const { time, stamped, startUs } = loopOf({ slots: 4 })
  time.stall(GAP_US + 20_000)
  time.advance(0)
  time.advance(GAP_US - 20_000)
  assert.deepEqual(
    stamped.map(({ intendedUs, sentUs }) => [intendedUs - startUs, sentUs - startUs]),
    [
      [0, 0],
      [GAP_US, GAP_US + 20_000],
      [2 * GAP_US, 2 * GAP_US],
    ],
  )
})

test('a late slot without an obstacle is blamed on the loop', () => {
  const { time, books } = loopOf({ slots: 2 })
  time.stall(GAP_US + 20_000)
  time.advance(0)
  assert.deepEqual(books.figures().latenessByCause.loop, { count: 1, totalUs: 20_000, maxUs: 20_000 })
})

for (const obstacle of ['drain', 'blocked', 'disconnected'] as const) {
  test(`slots that fall due while the injector is ${obstacle} are sent after it, and blamed on it`, () => {
    const { time, injector, books } = loopOf({ slots: 4 })
    injector.stand(obstacle)
    time.advance(2 * GAP_US)
    assert.deepEqual(injector.sequences(), [0])
    injector.stand(undefined)
    time.advance(0)
    assert.deepEqual(injector.sequences(), [0, 1, 2])
    assert.deepEqual(books.figures().latenessByCause[obstacle], { count: 1, totalUs: GAP_US, maxUs: GAP_US })
  })
}

test('a full window holds the rest back until a confirm, and is the cause', () => {
  const { time, injector, books } = loopOf({ slots: 3, window: 1 })
  time.advance(2 * GAP_US)
  assert.deepEqual(injector.sequences(), [0])
  injector.settle('confirmed')
  time.advance(0)
  assert.deepEqual(injector.sequences(), [0, 1])
  assert.equal(books.figures().latenessByCause.window.count, 1)
})

test('with CATCH_UP=skip slots that are too late are left out, and stay absent in the log', async () => {
  const { time, injector, log, books, loop, outcome } = loopOf({ slots: 10, catchUp: 'skip' })
  injector.stand('blocked')
  time.advance(5 * GAP_US - 1_000)
  injector.stand(undefined)
  time.advance(4 * GAP_US + 1_000)
  assert.deepEqual(injector.sequences(), [0, 4, 5, 6, 7, 8, 9])
  injector.settle('confirmed', { count: 7 })
  assert.equal(await outcome, 'finished')
  const { published, skipped } = books.figures()
  assert.deepEqual({ published, skipped, scheduled: loop.scheduled }, { published: 7, skipped: 3, scheduled: 10 })
  assert.equal(log.streams[0]!.states[2], ProbeState.absent)
  assert.equal(log.streams[0]!.sentUs[2], 0)
})

test('with pacing closed the next probe goes as soon as the injector takes it, and intended is sent', () => {
  const { time, injector, stamped, books } = loopOf({ slots: 250, pace: { kind: 'closed' }, window: 150 })
  time.advance(0)
  assert.equal(injector.injected.length, 150)
  time.advance(7_000)
  injector.settle('confirmed', { count: 150 })
  time.advance(0)
  assert.equal(injector.injected.length, 250)
  assert.ok(stamped.every(({ intendedUs, sentUs }) => intendedUs === sentUs))
  assert.equal(books.figures().latenessUs.count, 0)
})

test('a pass ends after a batch, so that confirms and aborts have their turn', () => {
  const { injector } = loopOf({ slots: 1_000, pace: { kind: 'closed' } })
  assert.ok(injector.injected.length > 0 && injector.injected.length < 1_000)
})

test('unknown probes stay unknown by default', async () => {
  const { time, injector, books, outcome } = loopOf({ slots: 2 })
  time.advance(GAP_US)
  injector.disconnect()
  assert.equal(await outcome, 'finished')
  assert.equal(books.figures().unknown, 2)
})

test('with RESEND=on an unknown probe goes again with its sequence and slot and a new time of sending', async () => {
  const { time, injector, log, books, stamped, startUs, outcome } = loopOf({ slots: 2, resend: true })
  time.advance(GAP_US)
  injector.settle('confirmed')
  injector.disconnect()
  time.advance(500_000)
  assert.equal(await promptly(outcome), 'still running')
  injector.stand(undefined)
  time.advance(0)
  const { sequence, intendedUs, sentUs } = stamped.at(-1)!
  assert.deepEqual([sequence, intendedUs - startUs, sentUs - startUs], [1, GAP_US, GAP_US + 500_000])
  assert.equal(log.streams[0]!.sentUs[1], sentUs)
  injector.settle('confirmed')
  assert.equal(await outcome, 'finished')
  const { published, confirmed, unknown, resent } = books.figures()
  assert.deepEqual({ published, confirmed, unknown, resent }, { published: 2, confirmed: 2, unknown: 0, resent: 1 })
})

test('an abort sends nothing more but still books confirms on their way', async () => {
  const { time, injector, books, loop, abort, outcome } = loopOf({ slots: 10 })
  time.advance(GAP_US)
  abort.abort()
  time.advance(GAP_US)
  assert.equal(injector.injected.length, 2)
  assert.equal(await promptly(outcome), 'still running')
  injector.settle('confirmed', { count: 2 })
  assert.equal(await outcome, 'aborted')
  assert.equal(books.figures().confirmed, 2)
  assert.equal(loop.scheduled, 2)
})

test('an abort does not wait for confirms without end', async () => {
  const { time, books, abort, outcome } = loopOf({ slots: 10 })
  abort.abort()
  time.advance(1_000_000)
  assert.equal(await outcome, 'aborted')
  books.close()
  assert.equal(books.figures().unknown, 1)
})

test('a signal that was aborted before sends nothing', async () => {
  const time = new ManualTime()
  const injector = new ScriptedInjector()
  const books = new PublishBooks({ streams: [] })
  const loop = new PublishLoop({
    runId: 'k3v9q2x1',
    streams: [{ index: 0, routingKey: '' }],
    pacer: { pace: { kind: 'closed' }, catchUp: 'burst', slots: 1 },
    template: { render: () => Buffer.alloc(0) },
    injector,
    sink: books,
    resend: false,
    nowUs: time.nowUs,
    makeAlarm: time.makeAlarm,
  })
  assert.equal(await loop.run(AbortSignal.abort()), 'aborted')
  assert.deepEqual(injector.injected, [])
})

test('when the broker is lost, slots that were due are skipped and later ones were never scheduled', async () => {
  const { time, injector, books, loop, outcome } = loopOf({ slots: 10 })
  time.advance(GAP_US)
  injector.settle('confirmed')
  injector.disconnect()
  time.advance(2 * GAP_US)
  injector.listener!.onLost(new Error('gone for good'))
  assert.equal(await outcome, 'lost')
  const { published, confirmed, unknown, skipped } = books.figures()
  assert.deepEqual({ published, confirmed, unknown, skipped }, { published: 2, confirmed: 1, unknown: 1, skipped: 2 })
  assert.equal(loop.scheduled, 4)
})

test('the backlog shows while it lasts: scheduled is ahead of published', () => {
  const { time, injector, books, loop } = loopOf({ slots: 10 })
  injector.stand('blocked')
  time.advance(3 * GAP_US)
  assert.equal(loop.scheduled, 4)
  assert.equal(books.figures().published, 1)
})

test('what is settled after the end changes nothing', async () => {
  const { injector, books, loop, outcome } = loopOf({ slots: 1 })
  injector.settle('nacked')
  assert.equal(await outcome, 'finished')
  loop.settled(0, 0, 'confirmed', 1)
  assert.equal(books.figures().nacked, 1)
})

type Move =
  | { kind: 'advance'; us: number }
  | { kind: 'stall'; us: number }
  | { kind: 'obstacle' }
  | { kind: 'settle'; count: number; outcome: InjectionOutcome }
  | { kind: 'disconnect' }
const us = fc.nat(200_000)
const move: fc.Arbitrary<Move> = fc.oneof(
  us.map((us): Move => ({ kind: 'advance', us })),
  us.map((us): Move => ({ kind: 'stall', us })),
  fc.constant<Move>({ kind: 'obstacle' }),
  fc.record({
    kind: fc.constant('settle' as const),
    count: fc.nat(20),
    outcome: fc.constantFrom<InjectionOutcome>('confirmed', 'returned', 'nacked'),
  }),
  fc.constant<Move>({ kind: 'disconnect' }),
)

test('whatever the broker does, every probe is published or skipped, ends in one state, and the sums hold', async () => {
  const ask = fc.record({
    streams: fc.integer({ min: 1, max: 3 }),
    catchUp: fc.constantFrom('burst' as const, 'skip' as const),
    resend: fc.boolean(),
  })
  await fc.assert(
    fc.asyncProperty(ask, fc.array(move, { maxLength: 60 }), async (options, moves) => {
      const { time, injector, log, books, loop, outcome } = loopOf({ ...options, slots: 40, window: 25 })
      for (const one of moves) {
        if (one.kind === 'advance') time.advance(one.us)
        else if (one.kind === 'stall') time.stall(one.us)
        else if (one.kind === 'obstacle') injector.stand(injector.obstacle() === undefined ? 'blocked' : undefined)
        else if (one.kind === 'settle') injector.settle(one.outcome, { count: one.count })
        else injector.disconnect()
        const { published, confirmed, returned, nacked, unknown, outstanding } = books.figures()
        assert.equal(published, confirmed + returned + nacked + unknown + outstanding)
      }
      injector.stand(undefined)
      for (let round = 0; round < 100; round += 1) {
        time.advance(100_000)
        injector.settle('confirmed', { count: 25 })
      }
      assert.equal(await outcome, 'finished')
      books.close()
      const { published, skipped } = books.figures()
      assert.equal(published + skipped, 40 * options.streams)
      assert.equal(loop.scheduled, 40 * options.streams)
      const absent = log.streams.flatMap(({ states }) => [...states]).filter((state) => state === ProbeState.absent)
      assert.equal(absent.length, skipped)
    }),
    { numRuns: 200 },
  )
})
