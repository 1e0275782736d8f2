import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { HeartbeatRound } from '../../../src/clients/heartbeat-round.ts'

describe('a round of heartbeats', () => {
  it('gives every slot its turn once per interval, evenly', () => {
    const round = new HeartbeatRound(4, 1_000)
    const turns = [0, 249, 250, 500, 1_000, 1_250].map((nowUs) => [...round.due(nowUs)])
    assert.deepEqual(turns, [[], [], [0], [1], [2, 3], [0]])
  })

  it('leaves out what a busy thread missed beyond one round', () => {
    const round = new HeartbeatRound(3, 1_000)
    assert.deepEqual([...round.due(0)], [])
    assert.deepEqual([...round.due(10_000)], [0, 1, 2])
  })
})
