/** Whatever habits are set and changed, and whoever comes, goes and subscribes meanwhile: the truth log is what clients received. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { streamText } from '../../../src/probe/codec.ts'
import type { DeliveryHabit } from '../../../src/target/habits/habit.ts'
import { sequenceRanges } from '../../../src/target/sequence-range.ts'
import { startTarget, type Target } from '../../../src/target/target.ts'
import { eventually } from '../../doubles/eventually.ts'
import { probeBody, TEST_RUN } from '../../doubles/probe-bodies.ts'
import { RawClient } from '../../doubles/raw-client.ts'

const STREAMS = ['public.a', 'public.b']
const MAX_SEQUENCE_DRAWN = 30

const where = fc.record(
  {
    clients: fc.subarray([0, 1, 2, 3], { minLength: 1 }),
    sequences: fc.array(fc.nat(MAX_SEQUENCE_DRAWN), { minLength: 1, maxLength: 6 }),
    probability: fc.constantFrom(0.2, 0.7, 1),
    seed: fc.nat(9),
  },
  { requiredKeys: [] },
)
const habit: fc.Arbitrary<DeliveryHabit> = fc.oneof(
  where.map((it) => ({ kind: 'drop' as const, ...it })),
  where.map((it) => ({ kind: 'repeat' as const, ...it })),
  fc.nat(MAX_SEQUENCE_DRAWN).map((first) => ({ kind: 'swap' as const, first, second: first + 2 })),
  where.map((it) => ({ kind: 'delay' as const, ms: 3, ...it })),
  where.map((it) => ({ kind: 'fragment' as const, pieces: 3, hasPingBetween: true, ...it })),
  where.map((it) => ({ kind: 'batch' as const, size: 3, waitMs: 2, ...it })),
  where.map((it) => ({ kind: 'insert' as const, what: 'misroute' as const, probeStream: 9, ...it })),
)

type Step =
  | { readonly do: 'connect'; readonly streams: readonly string[] }
  | { readonly do: 'leave' | 'subscribe' | 'unsubscribe'; readonly client: number; readonly stream: string }
  | { readonly do: 'broadcast'; readonly stream: number; readonly count: number }
  | { readonly do: 'habits'; readonly habits: readonly DeliveryHabit[] }
  | { readonly do: 'breathe' }

const stream = fc.constantFrom(...STREAMS)
const broadcast = fc.record({ do: fc.constant('broadcast' as const), stream: fc.nat(1), count: fc.integer({ min: 1, max: 5 }) })
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 4, arbitrary: broadcast },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('connect' as const), streams: fc.subarray(STREAMS) }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constantFrom('leave', 'subscribe', 'unsubscribe'), client: fc.nat(3), stream }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('habits' as const), habits: fc.array(habit, { maxLength: 3 }) }) },
  { weight: 1, arbitrary: fc.constant({ do: 'breathe' as const }) },
)

test('the truth log is what clients received, whatever happens', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 40 }), async (steps) => {
      const target = await startTarget()
      try {
        await play(target, steps)
      } finally {
        await target.close()
      }
    }),
    { numRuns: 60 },
  )
})

async function play(target: Target, steps: readonly Step[]): Promise<void> {
  const clients: RawClient[] = []
  const next = [0, 0]
  for (const it of steps) {
    if (it.do === 'connect') clients.push(await RawClient.ready(target.port, `/?stream=${it.streams.join(',')}`))
    else if (it.do === 'habits') target.setHabits(it.habits)
    else if (it.do === 'breathe') await new Promise((resolve) => setTimeout(resolve, 4))
    else if (it.do === 'broadcast') {
      for (let count = 0; count < it.count; count += 1) {
        target.broadcast(STREAMS[it.stream] ?? '', probeBody(next[it.stream]!++, { stream: it.stream }))
      }
    } else if (it.do === 'leave') await leave(clients[it.client])
    else clients[it.client]?.send(1, JSON.stringify({ event: it.do, streams: [it.stream] }))
  }
  await Promise.all(clients.map(leave))
  await eventually(() => target.clientCount === 0, 'all accounts are closed')
  for (const [number, client] of clients.entries()) {
    const truth = target.truth.client(number)
    for (const index of STREAMS.keys()) {
      const books = truth?.streams.find(({ run, probeStream }) => run === TEST_RUN && probeStream === streamText(index))
      const received = sequenceRanges(client.sequences(TEST_RUN, index))
      assert.deepEqual(books?.written ?? [], received, `client ${number}, ${STREAMS[index]}`)
      assert.deepEqual(books?.acknowledged ?? [], received)
    }
  }
}

/** Leaves in order: a close frame, and everything that comes until the target has ended its side. */
async function leave(client: RawClient | undefined): Promise<void> {
  if (client === undefined || client.isClosed) return
  client.send(8, Buffer.from([0x03, 0xe8]))
  await client.closed()
}
