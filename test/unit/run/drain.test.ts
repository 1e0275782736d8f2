import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Settings } from '../../../src/config/settings.ts'
import { type DrainFacts, decideDrain } from '../../../src/run/drain.ts'
import type { StopReason } from '../../../src/run/result.ts'

const settings = { quietMs: 5_000, drainTimeoutMs: 60_000, reconnect: false } as Settings
const waiting: DrainFacts = {
  expected: 100,
  delivered: 90,
  missed: 0,
  unaccounted: 0,
  connected: 10,
  isTotalKnown: true,
  sinceLastDeliveryMs: 100,
  largestLatencyMs: 40,
  longestSilenceMs: 50,
  elapsedMs: 1_000,
}

const rows: { situation: string; facts: Partial<DrainFacts>; settings?: Partial<Settings>; reason: StopReason | undefined }[] = [
  { situation: 'deliveries are still coming', facts: {}, reason: undefined },
  { situation: 'everything owed was delivered', facts: { delivered: 100 }, reason: 'complete' },
  { situation: 'what is not delivered was owed to clients that are gone', facts: { missed: 10 }, reason: 'complete' },
  { situation: 'what is not delivered was held by a thread that died', facts: { unaccounted: 10 }, reason: 'complete' },
  { situation: 'everything arrived in the very moment of the deadline', facts: { delivered: 100, elapsedMs: 60_000 }, reason: 'complete' },
  {
    situation: 'all was heard but nobody can know whether more will come',
    facts: { delivered: 100, isTotalKnown: false },
    reason: undefined,
  },
  { situation: 'nothing came for QUIET_MS', facts: { sinceLastDeliveryMs: 5_000 }, reason: 'quiet' },
  {
    situation: 'nothing came for QUIET_MS, but probes have taken 10 s before',
    facts: { sinceLastDeliveryMs: 5_000, largestLatencyMs: 10_000 },
    reason: undefined,
  },
  {
    situation: 'nothing came for twice the largest latency',
    facts: { sinceLastDeliveryMs: 20_000, largestLatencyMs: 10_000 },
    reason: 'quiet',
  },
  {
    situation: 'the target has been silent for longer before',
    facts: { sinceLastDeliveryMs: 9_000, longestSilenceMs: 4_600 },
    reason: undefined,
  },
  { situation: 'the hard deadline passed while deliveries come', facts: { elapsedMs: 60_000 }, reason: 'deadline' },
  { situation: 'every client is gone and more was owed than they missed', facts: { connected: 0, missed: 5 }, reason: 'target-lost' },
  { situation: 'every client is gone but they dial again', facts: { connected: 0 }, settings: { reconnect: true }, reason: undefined },
]

for (const row of rows) {
  test(`drain, when ${row.situation}: ${row.reason ?? 'goes on'}`, () => {
    assert.equal(decideDrain({ ...waiting, ...row.facts }, { ...settings, ...row.settings }), row.reason)
  })
}
