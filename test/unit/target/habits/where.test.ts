import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { CANARY_STREAM } from '../../../../src/probe/probe.ts'
import { chance, concernsClient, concernsProbe, isOver } from '../../../../src/target/habits/where.ts'

const probe = (sequence: number, probeStream = 0) => ({ run: 'testrun0', probeStream, sequence })

test('chance is even, and depends on every name and on nothing else', () => {
  const draws = Array.from({ length: 20_000 }, (_, sequence) => chance([1, 5, 0, sequence]))
  for (let decile = 0; decile < 10; decile += 1) {
    const share = draws.filter((draw) => Math.floor(draw * 10) === decile).length / draws.length
    assert.ok(Math.abs(share - 0.1) < 0.02, `decile ${decile}: ${share}`)
  }
  fc.assert(
    fc.property(fc.array(fc.nat(), { minLength: 1, maxLength: 4 }), (names) => {
      assert.equal(chance(names), chance([...names]))
      assert.notEqual(chance(names), chance([...names.slice(0, -1), (names.at(-1) ?? 0) + 1]))
    }),
  )
})

test('a habit concerns the clients and probes it names', () => {
  assert.equal(concernsClient({}, 4), true)
  assert.equal(concernsClient({ clients: [1, 4] }, 4), true)
  assert.equal(concernsClient({ clients: [1] }, 4), false)
  assert.equal(concernsClient({ share: 0 }, 4), false)
  assert.equal(concernsClient({ share: 1 }, 4), true)
  assert.equal(concernsProbe({ sequences: [3] }, probe(3), 0), true)
  assert.equal(concernsProbe({ sequences: [3] }, probe(4), 0), false)
  assert.equal(concernsProbe({}, probe(0, CANARY_STREAM), 0), false)
  assert.equal(concernsProbe({ probeStreams: [CANARY_STREAM] }, probe(0, CANARY_STREAM), 0), true)
  assert.equal(concernsProbe({ probability: 0 }, probe(0), 0), false)
  assert.equal(concernsProbe({ probability: 1 }, probe(0), 0), true)
})

test('a habit with a time is over after it', () => {
  assert.deepEqual([isOver({}, 1e9), isOver({ forMs: 5 }, 5), isOver({ forMs: 5 }, 5.1)], [false, false, true])
})
