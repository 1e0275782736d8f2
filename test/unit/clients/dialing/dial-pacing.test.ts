import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { decideDial, dialDueUs, dialPacing, sourceOfClient, targetOfClient } from '../../../../src/clients/dialing/dial-pacing.ts'
import { shareRoster } from '../../../../src/clients/threads/share-roster.ts'

const roster = { firstClient: 0, clients: 1_000 }
const pacing = (more: Partial<Parameters<typeof dialPacing>[0]> = {}) =>
  dialPacing({ startUs: 5_000_000, connectRate: 100, connectConcurrency: 20, roster, share: roster, threadClients: 1_000, ...more })

describe('dial pacing', () => {
  it('has absolute deadlines, also at less than one a second', () => {
    assert.equal(dialDueUs(0, pacing()), 5_000_000)
    assert.equal(dialDueUs(250, pacing()), 7_500_000)
    assert.equal(dialDueUs(3, pacing({ connectRate: 0.5 })), 11_000_000)
  })

  it('begins every replica at once with its part of the rate', () => {
    const share = { firstClient: 750, clients: 250 }
    assert.equal(dialDueUs(750, pacing({ share })), 5_000_000)
    assert.equal(dialDueUs(775, pacing({ share })), 6_000_000)
  })

  it('keeps the handshakes of all threads within the limit of the run', () => {
    const shares = shareRoster({ roster, share: roster, threads: 3, sentinels: 16, targets: 1 })
    const total = shares.reduce((sum, { clients }) => sum + pacing({ threadClients: clients.length }).concurrency, 0)
    assert.ok(total <= 20 && total >= 18, `${total} of 20`)
    assert.equal(pacing({ threadClients: 1 }).concurrency, 1)
  })

  // what is next, when, how many in flight
  it('dials what is due, waits for what is not, and stops at the limit', () => {
    assert.deepEqual(decideDial(100, pacing(), { nowUs: 6_000_000, inFlight: 19 }), { kind: 'dial' })
    assert.deepEqual(decideDial(100, pacing(), { nowUs: 5_999_000, inFlight: 0 }), { kind: 'wait', waitUs: 1_000 })
    assert.deepEqual(decideDial(100, pacing(), { nowUs: 6_000_000, inFlight: 20 }), { kind: 'full' })
  })

  it('uses every pair of source and target evenly', () => {
    for (const [targets, sources] of [
      [1, 3],
      [2, 2],
      [3, 2],
      [4, 6],
    ] as const) {
      const pairs = new Map<string, number>()
      for (let client = 0; client < targets * sources * 5; client++) {
        const pair = `${targetOfClient(client, targets)} from ${sourceOfClient(client, targets, sources)}`
        pairs.set(pair, (pairs.get(pair) ?? 0) + 1)
      }
      assert.equal(pairs.size, targets * sources)
      assert.deepEqual([...new Set(pairs.values())], [5])
    }
  })
})
