/** What the target does wrong to deliveries, compared with what it says it did: the client's bytes are the judge. */
import assert from 'node:assert/strict'
import { afterEach, describe, it } from 'node:test'
import { CANARY_STREAM } from '../../../src/probe/probe.ts'
import type { Habit } from '../../../src/target/habits/habit.ts'
import { probeBody, TEST_RUN } from '../../doubles/probe-bodies.ts'
import { TargetScene } from '../../doubles/target-scene.ts'

/** No habit of these tests meets the last probe: whoever has it has all before it. */
const LAST = 39
const BUT_LAST = Array.from({ length: LAST }, (_, index) => index)

const scenes: TargetScene[] = []

async function open(habits: readonly Habit[], clientCount = 3): Promise<TargetScene> {
  const scene = await TargetScene.open({ habits }, clientCount)
  scenes.push(scene)
  return scene
}

async function play(habits: readonly Habit[]): Promise<TargetScene> {
  const scene = await open(habits)
  await scene.broadcast(0, LAST)
  await scene.everybodyHas(LAST)
  scene.assertTruthful()
  return scene
}

describe('a target with bad habits', () => {
  afterEach(async () => {
    for (const scene of scenes.splice(0)) await scene.close()
  })

  it('drops named probes for named clients', async () => {
    const scene = await play([{ kind: 'drop', clients: [1], sequences: [0, 5, 6] }])
    assert.deepEqual(scene.events('drop'), pairs([1, 0], [1, 5], [1, 6]))
    assert.deepEqual(scene.truthOf(1)?.dropped, [0, 5, 6])
    assert.deepEqual(scene.truthOf(1)?.written, pairs([1, 4], [7, LAST]))
    assert.deepEqual(scene.truthOf(0)?.written, pairs([0, LAST]))
  })

  it('drops by chance, the same deliveries for the same seed', async () => {
    const dropsBySeed = async (seed: number) => {
      const scene = await play([{ kind: 'drop', probability: 0.2, seed, sequences: BUT_LAST }])
      return scene.events('drop').sort()
    }
    const first = await dropsBySeed(7)
    assert.ok(first.length > 0 && first.length < 3 * LAST)
    assert.deepEqual(await dropsBySeed(7), first)
    assert.notDeepEqual(await dropsBySeed(8), first)
  })

  it('repeats probes, one entry for each further copy', async () => {
    const scene = await play([{ kind: 'repeat', clients: [0, 2], sequences: [3], copies: 2 }])
    assert.deepEqual(scene.truthOf(2)?.repeated, [3, 3])
    assert.deepEqual(scene.clients[2]?.sequences().slice(0, 7), [0, 1, 2, 3, 3, 3, 4])
  })

  it('swaps two probes, and what stood between them stays between them', async () => {
    const scene = await play([
      { kind: 'swap', clients: [0], first: 9, second: 12 },
      { kind: 'swap', clients: [1], first: 20, second: 21 },
    ])
    assert.deepEqual(scene.clients[0]?.sequences().slice(8, 14), [8, 12, 10, 11, 9, 13])
    assert.deepEqual(scene.clients[1]?.sequences().slice(19, 23), [19, 21, 20, 22])
    assert.deepEqual(scene.truthOf(0)?.swapped, pairs([9, 12]))
  })

  it('lets go of the first probe of a swap when the second is dropped', async () => {
    const scene = await play([
      { kind: 'swap', first: 9, second: 12 },
      { kind: 'drop', sequences: [12] },
    ])
    assert.deepEqual(scene.truthOf(0)?.written, pairs([0, 11], [13, LAST]))
    assert.deepEqual(scene.events('swap'), [])
  })

  it('delays one client, which still hears everything in order', async () => {
    const delayMs = 60
    const scene = await open([{ kind: 'delay', clients: [1], sequences: [4], ms: delayMs }])
    await scene.broadcast(0, 3)
    const sentMs = performance.now()
    await scene.broadcast(4, LAST)
    await scene.everybodyHas(LAST)
    scene.assertTruthful()
    assert.deepEqual(scene.truthOf(1)?.written, pairs([0, LAST]))
    assert.ok((scene.clients[1]?.frameTimesMs[5] ?? 0) - sentMs >= delayMs - 1)
    assert.deepEqual(scene.events('delay')[0], [1, 4])
  })

  it('stops a habit when its time is over', async () => {
    const scene = await open([{ kind: 'drop', forMs: 0 }], 1)
    await scene.broadcast(1, LAST)
    await scene.everybodyHas(LAST)
    assert.deepEqual(scene.truthOf(0)?.written, pairs([1, LAST]))
  })

  it('sends a probe in fragments with pings between them', async () => {
    const scene = await play([{ kind: 'fragment', clients: [0], sequences: [2], pieces: 3, hasPingBetween: true }])
    const frames = scene.clients[0]?.frames.slice(3, 8) ?? []
    assert.deepEqual(
      frames.map(({ opcode, isFinal }) => [opcode, isFinal]),
      [
        [1, false],
        [9, true],
        [0, false],
        [9, true],
        [0, true],
      ],
    )
    assert.deepEqual(scene.events('fragment'), pairs([0, 2]))
  })

  it('puts several probes in one frame, and does not keep an unfinished frame for ever', async () => {
    const scene = await play([{ kind: 'batch', clients: [0], size: 8, waitMs: 20, sequences: BUT_LAST.concat(LAST).slice(0, 30) }])
    const sizes = scene.clients[0]?.texts.slice(1).map((text) => (text.match(/~ff1/g) ?? []).length)
    assert.deepEqual(sizes?.slice(0, 4), [8, 8, 8, 6])
    const waiting = await open([{ kind: 'batch', size: 8, waitMs: 20 }], 1)
    await waiting.broadcast(0, 4)
    await waiting.everybodyHas(4)
    waiting.assertTruthful()
    assert.deepEqual(waiting.events('batch'), pairs([0, 0]))
  })

  it('leaves canary and warm-up alone unless they are named', async () => {
    const scene = await open([
      { kind: 'drop', clients: [0] },
      { kind: 'drop', clients: [1], probeStreams: [CANARY_STREAM] },
    ])
    scene.target.broadcast(TargetScene.stream, probeBody(0, { stream: CANARY_STREAM }))
    scene.target.broadcast(TargetScene.stream, probeBody(0))
    await Promise.all(scene.clients.map((client, index) => client.frameCount(index === 2 ? 3 : 2)))
    assert.deepEqual(
      scene.clients.map((client) => [client.sequences(TEST_RUN, CANARY_STREAM), client.sequences(TEST_RUN)]),
      [
        [[0], []],
        [[], [0]],
        [[0], [0]],
      ],
    )
  })

  it('changes its habits while it runs, and serves everybody alike again afterwards', async () => {
    const scene = await open([])
    await scene.broadcast(0, 0)
    scene.target.setHabits([{ kind: 'drop', clients: [0], sequences: [1, 2] }])
    await scene.broadcast(1, 1)
    scene.target.setHabits([])
    await scene.broadcast(2, 2)
    await scene.everybodyHas(2)
    scene.assertTruthful()
    assert.deepEqual(
      scene.clients.map((client) => client.sequences()),
      [
        [0, 2],
        [0, 1, 2],
        [0, 1, 2],
      ],
    )
  })

  it('says what never was written when a client leaves while probes are on their way to it', async () => {
    const scene = await open([{ kind: 'delay', clients: [0], sequences: [1], ms: 60_000 }], 1)
    await scene.broadcast(0, 3)
    await scene.clients[0]?.hasProbe(0)
    await scene.target.act({ kind: 'end', how: 'cut' })
    await scene.clients[0]?.closed()
    scene.assertTruthful()
    assert.deepEqual(scene.events('unwritten'), pairs([0, 1], [0, 2], [0, 3]))
  })
})

const pairs = (...list: [number, number][]) => list
