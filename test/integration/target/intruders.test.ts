/** Frames that are none of a client's probes, each as it comes over the wire and as the truth log names it. */
import assert from 'node:assert/strict'
import { afterEach, describe, it } from 'node:test'
import type { Intruder } from '../../../src/target/habits/habit.ts'
import { TEST_RUN } from '../../doubles/probe-bodies.ts'
import type { RawFrame } from '../../doubles/raw-client.ts'
import { TargetScene } from '../../doubles/target-scene.ts'

const isText = ({ opcode, isFinal, reservedBits, isMasked }: RawFrame) => opcode === 1 && isFinal && reservedBits === 0 && !isMasked

const expected: Record<Exclude<Intruder, 'foreign' | 'misroute'>, (frame: RawFrame) => boolean> = {
  text: (frame) => isText(frame) && !frame.payload.includes('~ff1.'),
  binary: ({ opcode }) => opcode === 2,
  'invalid-utf8': (frame) => isText(frame) && frame.payload.toString().includes('\ufffd'),
  ping: ({ opcode }) => opcode === 9,
  masked: ({ opcode, isMasked }) => opcode === 1 && isMasked,
  'reserved-bit': ({ reservedBits }) => reservedBits !== 0,
  'bad-opcode': ({ opcode }) => opcode === 3,
  'stray-continuation': ({ opcode, isFinal }) => opcode === 0 && isFinal,
  huge: (frame) => isText(frame) && frame.payload.length === 200_000,
}

describe('intruders among the probes', () => {
  let scene: TargetScene
  afterEach(() => scene.close())

  for (const [what, looksRight] of Object.entries(expected) as [keyof typeof expected, (frame: RawFrame) => boolean][]) {
    it(`sends ${what}, before a probe and at once`, async () => {
      scene = await TargetScene.open({ habits: [{ kind: 'insert', what, bytes: 200_000, clients: [1], sequences: [1] }] }, 2)
      await scene.broadcast(0, 2)
      const client = scene.clients[1]
      // Acknowledgement, probe, intruder, probe, probe. A masked frame swallows none of them: its length is right.
      await client?.frameCount(5)
      const intruder = client?.frames[2]
      assert.ok(intruder !== undefined && looksRight(intruder), JSON.stringify(intruder))
      await scene.target.act({ kind: 'insert', what, bytes: 200_000, clients: [0] })
      await scene.clients[0]?.frameCount(5)
      assert.ok(looksRight(scene.clients[0]?.frames[4] as RawFrame))
      assert.deepEqual(scene.events(what), [
        [1, 1],
        [0, undefined],
      ])
      scene.assertTruthful()
    })
  }

  it('sends probes of another run, and this run on a stream the client does not have', async () => {
    const habits = [
      { kind: 'insert', what: 'foreign', sequences: [2] },
      { kind: 'insert', what: 'misroute', sequences: [3], stream: 'public.other', probeStream: 5 },
    ] as const
    scene = await TargetScene.open({ habits }, 1)
    await scene.broadcast(0, 4)
    await scene.everybodyHas(4)
    scene.assertTruthful()
    const [client] = scene.clients
    assert.deepEqual(client?.sequences('foreign0'), [2])
    assert.deepEqual(client?.sequences(TEST_RUN, 5), [3])
    assert.match(client?.texts.find((text) => text.includes('.0005.')) ?? '', /^\{"public\.other":/)
    const named = scene.target.truth.events.map(({ kind, stream, run, probeStream, sequence }) => [
      kind,
      stream,
      run,
      probeStream,
      sequence,
    ])
    assert.deepEqual(named, [
      ['foreign', TargetScene.stream, 'foreign0', 0, 2],
      ['misroute', 'public.other', TEST_RUN, 5, 3],
    ])
  })
})
