/** What the target does wrong to deliveries, compared with what it says it did: the client's bytes are the judge. */
import assert from 'node:assert/strict'
import { afterEach, describe, it } from 'node:test'
import type { Habit } from '../../../src/target/habits/habit.ts'
import { expandRanges, sequenceRanges } from '../../../src/target/sequence-range.ts'
import { startTarget, type Target } from '../../../src/target/target.ts'
import { probeBody, TEST_RUN } from '../../doubles/probe-bodies.ts'
import { RawClient } from '../../doubles/raw-client.ts'

const STREAM = 'public.habits'
const PROBES = 40
/** The last probe is met by no habit of these tests: whoever has it has all before it. */
const LAST = PROBES - 1

interface Scene {
  target: Target
  clients: RawClient[]
}

let scene: Scene | undefined

async function open(habits: readonly Habit[], count = 3): Promise<Scene> {
  const target = await startTarget({ habits })
  const clients: RawClient[] = []
  scene = { target, clients }
  for (let index = 0; index < count; index += 1) clients.push(await RawClient.ready(target.port, `/?stream=${STREAM}`))
  return scene
}

/** Broadcasts all probes, some a loop pass and some many, and waits until every client has the last one. */
async function broadcastAll({ target, clients }: Scene): Promise<void> {
  for (let sequence = 0; sequence < PROBES; sequence += 1) {
    target.broadcast(STREAM, probeBody(sequence))
    if (sequence % 7 === 0) await new Promise((resolve) => setImmediate(resolve))
  }
  await Promise.all(clients.map((client) => client.hasProbe(LAST)))
}

/** Asserts that every client heard exactly what the truth log says was written to it. */
function assertTruthful({ target, clients }: Scene): void {
  clients.forEach((client, number) => {
    const truth = target.truth.client(number)
    const stream = truth?.streams.find(({ run, probeStream }) => run === TEST_RUN && probeStream === '0000')
    assert.equal(truth?.remotePort, client.socket.localPort)
    assert.deepEqual(stream?.written, sequenceRanges(client.sequences(TEST_RUN)), `client ${number}`)
  })
}

const eventsOf = ({ target }: Scene, kind: string) =>
  target.truth.events.filter((event) => event.kind === kind).map(({ client, sequence }) => [client, sequence])

describe('a target with bad habits', () => {
  afterEach(async () => {
    for (const client of scene?.clients ?? []) client.socket.destroy()
    await scene?.target.close()
    scene = undefined
  })

  it('drops named probes for named clients', async () => {
    const it = await open([{ kind: 'drop', clients: [1], sequences: [0, 5, 6] }])
    await broadcastAll(it)
    assert.deepEqual(eventsOf(it, 'drop'), [
      [1, 0],
      [1, 5],
      [1, 6],
    ])
    assert.deepEqual(it.target.truth.client(1)?.streams[0]?.dropped, [0, 5, 6])
    assert.deepEqual(it.target.truth.client(1)?.streams[0]?.written, [
      [1, 4],
      [7, LAST],
    ])
    assert.deepEqual(it.target.truth.client(0)?.streams[0]?.written, [[0, LAST]])
    assertTruthful(it)
  })

  it('drops by chance, the same deliveries for the same seed', async () => {
    const drops: unknown[] = []
    for (const seed of [7, 7, 8]) {
      const it = await open([{ kind: 'drop', probability: 0.2, seed, sequences: Array.from({ length: LAST }, (_, index) => index) }])
      await broadcastAll(it)
      assertTruthful(it)
      drops.push(eventsOf(it, 'drop').sort())
      await it.target.close()
    }
    assert.deepEqual(drops[0], drops[1])
    assert.notDeepEqual(drops[0], drops[2])
    assert.ok((drops[0] as unknown[]).length > 0)
  })

  it('repeats probes, one entry for each further copy', async () => {
    const it = await open([{ kind: 'repeat', clients: [0, 2], sequences: [3], copies: 2 }])
    await broadcastAll(it)
    assert.deepEqual(it.target.truth.client(2)?.streams[0]?.repeated, [3, 3])
    assert.deepEqual(it.clients[2]?.sequences().slice(0, 7), [0, 1, 2, 3, 3, 3, 4])
    assertTruthful(it)
  })

  it('swaps two probes, and what stood between them stays between them', async () => {
    const it = await open([
      { kind: 'swap', clients: [0], first: 9, second: 12 },
      { kind: 'swap', clients: [1], first: 20, second: 21 },
    ])
    await broadcastAll(it)
    assert.deepEqual(it.clients[0]?.sequences().slice(8, 14), [8, 12, 10, 11, 9, 13])
    assert.deepEqual(it.clients[1]?.sequences().slice(19, 23), [19, 21, 20, 22])
    assert.deepEqual(it.target.truth.client(0)?.streams[0]?.swapped, [[9, 12]])
    assertTruthful(it)
  })

  it('leaves canary and warm-up alone unless they are named', async () => {
    const it = await open(
      [
        { kind: 'drop', clients: [0] },
        { kind: 'drop', clients: [1], probeStreams: [1_679_615] },
      ],
      2,
    )
    it.target.broadcast(STREAM, probeBody(0, { stream: 1_679_615 }))
    it.target.broadcast(STREAM, probeBody(0))
    await Promise.all([it.clients[0]?.frameCount(2), it.clients[1]?.frameCount(2)])
    assert.deepEqual(
      it.target.truth.events.map(({ client, probeStream }) => [client, probeStream]),
      [
        [0, 0],
        [1, 1_679_615],
      ],
    )
    assert.deepEqual([it.clients[0]?.sequences(TEST_RUN, 0), it.clients[1]?.sequences(TEST_RUN, 0)], [[], [0]])
  })

  it('changes its habits while it runs, and serves everybody alike again afterwards', async () => {
    const it = await open([])
    it.target.broadcast(STREAM, probeBody(0))
    it.target.setHabits([{ kind: 'drop', clients: [0], sequences: [1, 2] }])
    it.target.broadcast(STREAM, probeBody(1))
    it.target.setHabits([])
    it.target.broadcast(STREAM, probeBody(2))
    await Promise.all(it.clients.map((client) => client.hasProbe(2)))
    assert.deepEqual(
      it.clients.map((client) => expandRanges(sequenceRanges(client.sequences()))),
      [
        [0, 2],
        [0, 1, 2],
        [0, 1, 2],
      ],
    )
    assertTruthful(it)
  })
})
