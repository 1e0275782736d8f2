import assert from 'node:assert/strict'
import { test } from 'node:test'
import { dueFor, RANGO_LIMITS } from '../../../src/target/liveness.ts'

test('clients are pinged and cut when rango would', () => {
  const rows: [state: Partial<Parameters<typeof dueFor>[0]>, due: ReturnType<typeof dueFor>][] = [
    [{ nowMs: 53_999 }, undefined],
    [{ nowMs: 54_000 }, 'ping'],
    [{ nowMs: 60_000, lastPingMs: 54_000 }, undefined], // pinged, and still in time
    [{ nowMs: 60_001, lastPingMs: 54_000 }, 'pong-overdue'],
    [{ nowMs: 100_000, lastPingMs: 54_000, lastPongMs: 54_010 }, undefined],
    [{ nowMs: 20_000, stalledSinceMs: 10_000 }, undefined],
    [{ nowMs: 20_001, stalledSinceMs: 10_000 }, 'write-overdue'],
  ]
  for (const [state, due] of rows) {
    assert.equal(
      dueFor({ nowMs: 0, lastPingMs: 0, lastPongMs: 0, stalledSinceMs: undefined, ...state }, RANGO_LIMITS),
      due,
      JSON.stringify(state),
    )
  }
})
