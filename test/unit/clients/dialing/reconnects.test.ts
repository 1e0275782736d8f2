import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { Reconnects, reconnectWaitUs } from '../../../../src/clients/dialing/reconnects.ts'

/** The slots that are dialed at `nowUs`. */
function dialedAt(reconnects: Reconnects, nowUs: number, room = 100): number[] {
  const dialed: number[] = []
  reconnects.dialDue(nowUs, (slot) => dialed.length < room && dialed.push(slot) > 0)
  return dialed
}

describe('reconnecting', () => {
  it('waits up to twice as long after every failure, and half a minute at most', () => {
    assert.deepEqual(
      [0, 1, 2, 6, 7, 5_000].map((failures) => reconnectWaitUs(failures, 0.5)),
      [250_000, 500_000, 1_000_000, 15_000_000, 15_000_000, 15_000_000],
    )
    assert.equal(reconnectWaitUs(3, 0), 0)
  })

  it('begins anew once the client was ready', () => {
    const reconnects = new Reconnects(() => 0.5)
    reconnects.lost(4, 0)
    assert.deepEqual(dialedAt(reconnects, 249_999), [])
    assert.deepEqual(dialedAt(reconnects, 250_000), [4])
    reconnects.lost(4, 0)
    assert.deepEqual(dialedAt(reconnects, 499_999), [])
    assert.deepEqual(dialedAt(reconnects, 500_000), [4])
    reconnects.ready(4)
    reconnects.lost(4, 0)
    assert.deepEqual(dialedAt(reconnects, 250_000), [4])
  })

  it('keeps those waiting for whom there is no room', () => {
    const reconnects = new Reconnects(() => 0)
    for (const slot of [1, 2, 3]) reconnects.lost(slot, 0)
    assert.deepEqual(dialedAt(reconnects, 0, 2), [1, 2])
    assert.deepEqual(dialedAt(reconnects, 0, 2), [3])
    reconnects.lost(1, 0)
    reconnects.giveUp()
    assert.deepEqual(dialedAt(reconnects, 1e9), [])
  })
})
