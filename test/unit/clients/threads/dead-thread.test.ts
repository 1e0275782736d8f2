import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { correctionAtDeath, correctionOfBooks } from '../../../../src/clients/threads/dead-thread.ts'
import { loadSettings } from '../../../../src/config/load.ts'
import { makePlan } from '../../../../src/config/plan.ts'
import { owedProbes } from '../../../../src/measure/owed.ts'
import { ProbeState, type ProbeStateCode } from '../../../../src/measure/publisher-log.ts'
import { emptyClientCounts, emptyDeliveryCounts, emptySnapshot, mergeSnapshots } from '../../../../src/measure/snapshot-merge.ts'

const plan = makePlan(loadSettings({ env: {} }).settings, { runClockOffsetUs: 0 })
const owed = (sentUs: number[], states: ProbeStateCode[] = sentUs.map(() => ProbeState.confirmed)) =>
  owedProbes({ streams: [{ stream: 0, count: sentUs.length, sentUs: Float64Array.from(sentUs), states: Uint8Array.from(states) }] }, [])

describe('a thread that died', () => {
  it('has no connection any more, and whoever was not ready has failed', () => {
    const clients = { ...emptyClientCounts(), wanted: 10, opened: 8, ready: 6, connected: 5, failed: 1 }
    const after = mergeSnapshots({ ...emptySnapshot(), clients }, correctionAtDeath({ ...emptySnapshot(), clients }))
    assert.deepEqual(after.clients, { ...clients, connected: 0, failed: 4, unopened: 2 })
  })

  it('leaves unaccounted what its clients were owed and it had not told about', () => {
    const known = {
      ...emptySnapshot(),
      measured: { ...emptyDeliveryCounts(), delivered: 3, missed: 1, expected: 4 },
      readyClients: { client: [0, 1], readyUs: [0, 250] },
    }
    // client 0 is owed five, client 1 the three that were sent since it was ready
    const sentUs = [100, 200, 300, 400, 500]
    const first = mergeSnapshots(known, correctionOfBooks(known, plan, owed(sentUs)))
    assert.deepEqual(first.measured, { ...known.measured, expected: 8, unaccounted: 4 })
    // a newer log: one more was published, one turned out to be unconfirmed
    const states = [ProbeState.confirmed, ProbeState.nacked, ...Array(4).fill(ProbeState.confirmed)]
    const second = mergeSnapshots(first, correctionOfBooks(first, plan, owed([...sentUs, 600], states)))
    assert.deepEqual(second.measured, { ...known.measured, expected: 9, unaccounted: 5 })
  })
})
