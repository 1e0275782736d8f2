import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Snapshot } from '../../../src/measure/snapshot.ts'
import { emptySnapshot } from '../../../src/measure/snapshot-merge.ts'
import { observedLog } from '../../../src/run/observed-log.ts'

/** What was heard of stream 0: sequence and sent time, and the last delivery at 9,000. */
function heard(...probes: readonly [sequence: number, sentUs: number][]): Snapshot {
  const sequence = probes.map(([number]) => number)
  const sentUs = probes.map(([, us]) => us)
  const zeros = probes.map(() => 0)
  const fanout = { stream: zeros, sequence, intendedUs: sentUs, sentUs, firstUs: sentUs, lastUs: sentUs, count: zeros.map(() => 1) }
  return {
    ...emptySnapshot(),
    fanout,
    highestSequence: { 0: Math.max(-1, ...sequence) },
    lastDeliveryUs: probes.length > 0 ? 9_000 : undefined,
  }
}

const sentTimes = (snapshot: Snapshot, count?: number): number[] => [...(observedLog(snapshot, count).streams[0]?.sentUs ?? [])]

test('as many probes are owed as the highest sequence that was heard says, or as MSG_COUNT does', () => {
  assert.equal(observedLog(heard([0, 1_000], [4, 5_000]), undefined).streams[0]?.count, 5)
  assert.equal(observedLog(heard([0, 1_000], [4, 5_000]), 8).streams[0]?.count, 8)
  assert.equal(observedLog(heard(), undefined).streams[0]?.count, 0)
})

test('a probe that nobody heard was sent evenly between its neighbours, as far as anybody can tell', () => {
  assert.deepEqual(sentTimes(heard([0, 1_000], [4, 5_000], [5, 5_500])), [1_000, 2_000, 3_000, 4_000, 5_000, 5_500])
})

test('without a neighbour before, it is the first that was heard; without one after, the last delivery', () => {
  assert.deepEqual(sentTimes(heard([2, 3_000], [3, 4_000]), 6), [3_000, 3_000, 3_000, 4_000, 9_000, 9_000])
  assert.deepEqual(sentTimes(heard(), 2), [0, 0])
})
