import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ProbeState, type PublisherLog } from '../../../src/measure/publisher-log.ts'
import { emptyDeliveryCounts, emptySnapshot } from '../../../src/measure/snapshot-merge.ts'
import { closeDeadBooks } from '../../../src/measure/unaccounted.ts'

const log: PublisherLog = {
  streams: [
    { stream: 0, count: 4, sentUs: Float64Array.of(10, 20, 30, 40), states: new Uint8Array(4).fill(ProbeState.confirmed) },
    { stream: 1, count: 4, sentUs: Float64Array.of(10, 20, 30, 40), states: Uint8Array.of(2, 5, 5, 0) },
  ],
}

test('what a dead holder was owed and did not tell of is unaccounted, so that the identity still holds', () => {
  const { measured } = closeDeadBooks({
    snapshot: {
      ...emptySnapshot(),
      measured: { ...emptyDeliveryCounts(), delivered: 3, missed: 1 },
      readyClients: { client: [5, 6, 7], readyUs: [0, 15, 100] },
    },
    log,
    heard: [{ stream: 1, sequences: [2] }],
    streamsOf: (client) => (client === 5 ? [0, 1] : [0]),
  })
  // Client 5: four of stream 0 and two of stream 1; client 6: three; client 7 was ready after the last probe.
  assert.deepEqual([measured.expected, measured.delivered, measured.missed, measured.unaccounted], [9, 3, 1, 5])
})

test('deliveries it told of before the log knew them do not make a negative number', () => {
  const { measured } = closeDeadBooks({
    snapshot: { ...emptySnapshot(), measured: { ...emptyDeliveryCounts(), delivered: 3 } },
    log: { streams: [] },
    heard: [],
    streamsOf: () => [0],
  })
  assert.equal(measured.unaccounted, 0)
})
