import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { mergeHeard, OwedProbes, owedProbes } from '../../../src/measure/owed.ts'
import { ProbeState, type StreamLog } from '../../../src/measure/publisher-log.ts'

const states = fc.constantFrom(...Object.values(ProbeState))
/** Sent times ascending by a few microseconds, with now and then one sent again much later. */
const logs: fc.Arbitrary<StreamLog> = fc
  .array(fc.tuple(fc.oneof(fc.constant(ProbeState.confirmed), states), fc.integer({ min: 0, max: 3 }), fc.boolean()), { maxLength: 60 })
  .chain((probes) => fc.tuple(fc.constant(probes), fc.boolean(), fc.nat(4)))
  .map(([probes, hasResends, spare]) => {
    let sentUs = 1_000
    const times = probes.map(([state, gapUs, isResent]) => {
      sentUs += gapUs
      if (state === ProbeState.absent) return 0
      return hasResends && isResent ? sentUs + 40 : sentUs
    })
    return {
      stream: 3,
      count: probes.length + spare,
      sentUs: Float64Array.from([...times, ...new Array(spare).fill(0)]),
      states: Uint8Array.from([...probes.map(([state]) => state), ...new Array(spare).fill(ProbeState.absent)]),
    }
  })

test('owed are confirmed probes and published ones that somebody heard, counted exactly whatever was sent again', () => {
  const times = fc.integer({ min: 990, max: 1_250 })
  fc.assert(
    fc.property(logs, fc.array(fc.nat(70)), times, times, fc.nat(70), fc.nat(70), (log, heard, sinceUs, beforeUs, from, to) => {
      const owed = new OwedProbes(log, new Set(heard))
      const isOwed = (sequence: number) =>
        log.states[sequence] === ProbeState.confirmed || (log.states[sequence] !== ProbeState.absent && heard.includes(sequence))
      const expected = Array.from({ length: log.count }, (_, sequence) => sequence).filter(isOwed)
      assert.equal(owed.total, expected.length)
      assert.equal(owed.countSince(sinceUs), expected.filter((sequence) => log.sentUs[sequence]! >= sinceUs).length)
      const between = expected.filter((sequence) => log.sentUs[sequence]! >= sinceUs && log.sentUs[sequence]! < beforeUs)
      assert.equal(owed.countSent(from, to, sinceUs, beforeUs), between.filter((sequence) => sequence >= from && sequence < to).length)
      for (let sequence = 0; sequence < log.count + 2; sequence++) {
        assert.equal(owed.isOwedBetween(sequence, sinceUs, beforeUs), between.includes(sequence))
      }
      assert.ok(expected.every((sequence) => sequence < owed.end))
      for (let sequence = 0; sequence < owed.firstSentSince(sinceUs); sequence++)
        assert.ok(!isOwed(sequence) || log.sentUs[sequence]! < sinceUs)
    }),
    { numRuns: 500 },
  )
})

test('sent times are compared as tokens hold them, in whole microseconds', () => {
  const owed = new OwedProbes(
    { stream: 0, count: 1, sentUs: Float64Array.of(999.6), states: Uint8Array.of(ProbeState.confirmed) },
    new Set(),
  )
  assert.equal(owed.countSince(1_000), 1)
  assert.equal(owed.countSince(1_000.1), 0)
})

test('what several threads heard is their union, and decides over probes without a confirm', () => {
  const union = mergeHeard(
    [{ stream: 1, sequences: [4, 2] }],
    [],
    [
      { stream: 0, sequences: [7] },
      { stream: 1, sequences: [2, 0] },
    ],
  )
  assert.deepEqual(union, [
    { stream: 0, sequences: [7] },
    { stream: 1, sequences: [0, 2, 4] },
  ])
  const log = { stream: 1, count: 6, sentUs: new Float64Array(6).fill(5), states: new Uint8Array(6).fill(ProbeState.unknown) }
  assert.equal(owedProbes({ streams: [log] }, union).get(1)!.total, 3)
  assert.equal(owedProbes({ streams: [log] }, []).get(1)!.total, 0)
})
