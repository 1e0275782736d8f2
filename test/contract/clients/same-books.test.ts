/** Same traffic, same books: whichever engine hears it, and however the bytes are cut. */
import assert from 'node:assert/strict'
import type { Socket } from 'node:net'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { LocalPorts, USUAL_LOCAL_PORTS } from '../../../src/clients/dialing/local-ports.ts'
import { Receiver } from '../../../src/clients/receiver.ts'
import { loadSettings } from '../../../src/config/load.ts'
import { makePlan } from '../../../src/config/plan.ts'
import { Books } from '../../../src/measure/books.ts'
import type { Clock } from '../../../src/measure/clock.ts'
import { ProbeState, type PublisherLog } from '../../../src/measure/publisher-log.ts'
import type { Snapshot } from '../../../src/measure/snapshot.ts'
import { ThreadWatch } from '../../../src/measure/thread-watch.ts'
import { writeToken } from '../../../src/probe/codec.ts'
import { eventually } from '../../doubles/eventually.ts'
import { BINARY, CONTINUATION, closeFrame, frame, PING, startRawTarget, TEXT, upgradeAnswer } from '../../doubles/raw-target.ts'

const RUN_ID = 'k3v9q2x1'
const PROBES = 12
/** More than a thousand connections, on a machine that may be busy. */
const ALL_ENDED_MS = 90_000
const NOW_US = 1_800_000_000_000_000
const clock: Clock = { nowUs: () => NOW_US, boundUs: 1 }

/** All probes were sent just now and confirmed. */
const log: PublisherLog = {
  streams: [
    { stream: 0, count: PROBES, sentUs: new Float64Array(PROBES).fill(NOW_US), states: new Uint8Array(PROBES).fill(ProbeState.confirmed) },
  ],
}

const token = (sequence: number, { run = RUN_ID, stream = 0 } = {}): string =>
  writeToken({ run, stream, sequence, intendedUs: NOW_US, sentUs: NOW_US })

/** Every client hears `bytes`; the n-th of them in two pieces, cut at the n-th of `cuts`. Then it is said goodbye to. */
async function hear(engine: 'fast' | 'ws', bytes: Buffer, cuts: readonly number[]): Promise<Snapshot> {
  let index = 0
  const target = await startRawTarget(async (socket, head) => {
    const cut = cuts[index++]!
    socket.setNoDelay(true)
    await written(socket, Buffer.concat([Buffer.from(upgradeAnswer(head)), bytes.subarray(0, cut)]))
    await written(socket, Buffer.concat([bytes.subarray(cut), closeFrame(1001)]))
  })
  const { settings } = loadSettings({
    env: { RUN_ID, ENGINE: engine, PROTOCOL: 'plain', WS_ADDR: target.url, WS_POOL_SIZE: String(cuts.length), MAX_FRAME_BYTES: '5000' },
  })
  const plan = makePlan(settings, { runClockOffsetUs: 0 })
  const share = { thread: 0, role: 'crowd' as const, clients: cuts.map((_, client) => client) }
  const watch = new ThreadWatch({ clock, replica: 0, thread: 0, role: 'crowd' })
  const books = new Books({
    clock,
    replica: 0,
    thread: 0,
    role: 'crowd',
    clients: share.clients,
    targetOf: share.clients.map(() => 0),
    streamsOf: () => [0],
    sequenceLimit: PROBES,
    ledgerMemoryMb: 16,
    expectsResends: false,
    watch,
  })
  const receiver = new Receiver({ plan, share, books, clock, ports: new LocalPorts(USUAL_LOCAL_PORTS, 0) })
  await receiver.connect({ startUs: NOW_US, ratePerSecond: 1e12, concurrency: 50, firstClient: 0 })
  await eventually(() => receiver.alive === 0, 'every client has ended', ALL_ENDED_MS)
  books.settle(log, NOW_US + 1)
  await receiver.close()
  await target.close()
  return books.takeSnapshot()
}

/** Resolves when the kernel has the bytes and has had a moment to hand them over by themselves. */
const written = (socket: Socket, bytes: Buffer): Promise<void> =>
  new Promise((resolve) => {
    socket.write(bytes, () => setImmediate(() => setImmediate(resolve)))
  })

/** What must not depend on the engine. Times do not either, as the clock stands still. */
function figures(snapshot: Snapshot): object {
  const { clients, errorsByCode, endings, measured, otherFrames, fanout, latencyUs, missing, heardNothing } = snapshot
  return { clients, errorsByCode, endings, measured, otherFrames, fanout, latencyUs, missing, heardNothing }
}

const traffic = Buffer.concat([
  frame(TEXT, `{"probe":"${token(0)}"}`),
  frame(TEXT, `{"probe":"${token(1)}"}`),
  frame(PING, 'still there?'),
  // several in one, with the text between them looking like a beginning
  frame(BINARY, `<a>${token(2)}~ff1.${token(3)}</a>`),
  // a copy, a hole, an older one
  frame(TEXT, `{"probe":"${token(3)}"}`),
  frame(TEXT, `{"probe":"${token(6)}"}`),
  frame(TEXT, `{"probe":"${token(5)}"}`),
  frame(TEXT, `{"probe":"${token(7).slice(0, 30)}`, { fin: false }),
  frame(PING, ''),
  frame(CONTINUATION, `${token(7).slice(30)}"}`),
  frame(TEXT, `{"probe":"${token(8, { run: 'another1' })}"}`),
  frame(TEXT, `{"probe":"${token(8, { stream: 5 })}"}`),
  frame(TEXT, '{"none":true}'),
  frame(TEXT, ''),
  frame(TEXT, `{"probe":"${token(8).replace('.', ':')}"}`),
  frame(BINARY, `${'x'.repeat(4_000)}${token(9)}`),
])

describe('both engines', () => {
  it('book the same wherever the bytes are cut', async () => {
    const cuts = Array.from({ length: traffic.length }, (_, position) => position).filter(
      (position) => position < 1_200 || position % 37 === 0,
    )
    const fast = figures(await hear('fast', traffic, cuts))
    const ws = figures(await hear('ws', traffic, cuts))
    assert.deepEqual(fast, ws)
    const { measured } = fast as Snapshot
    const each = (count: number) => count * cuts.length
    assert.deepEqual(
      { ...measured },
      {
        expected: each(12),
        delivered: each(8),
        missed: each(4),
        lost: 0,
        unaccounted: 0,
        duplicated: each(1),
        redelivered: 0,
        outOfOrder: each(1),
        early: 0,
        late: 0,
        unexpected: each(1),
        foreign: each(1),
        negativeLatency: 0,
      },
    )
  })

  it('book the same drawn traffic, faults included', async () => {
    const piece = fc.oneof(
      fc.integer({ min: 0, max: PROBES - 1 }).map((sequence) => frame(TEXT, `{"probe":"${token(sequence)}"}`)),
      fc.integer({ min: 0, max: PROBES - 1 }).map((sequence) => frame(BINARY, token(sequence), { fin: false })),
      fc.integer({ min: 0, max: PROBES - 1 }).map((sequence) => frame(CONTINUATION, token(sequence))),
      fc.constant(frame(PING, 'x')),
      fc.uint8Array({ maxLength: 100 }).map((bytes) => frame(TEXT, bytes)),
      fc.integer({ min: 1_000, max: 6_000 }).map((length) => frame(BINARY, Buffer.alloc(length))),
    )
    await fc.assert(
      fc.asyncProperty(
        fc.array(piece, { minLength: 1, maxLength: 20 }),
        fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { minLength: 1, maxLength: 5 }),
        async (pieces, places) => {
          const bytes = Buffer.concat(pieces)
          const cuts = places.map((place) => Math.floor(place * bytes.length))
          assert.deepEqual(figures(await hear('fast', bytes, cuts)), figures(await hear('ws', bytes, cuts)))
        },
      ),
      { numRuns: Number(process.env.FUZZ_RUNS ?? 40) },
    )
  })
})
