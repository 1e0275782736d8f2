import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { type SharingFacts, shareRoster } from '../../../../src/clients/threads/share-roster.ts'

const facts = (more: Partial<SharingFacts> & { clients: number }): SharingFacts => {
  const roster = { firstClient: 0, clients: more.clients }
  return { roster, share: roster, threads: 1, sentinels: 16, targets: 1, ...more }
}
const sentinelsOf = (all: SharingFacts): readonly number[] => shareRoster(all).find(({ role }) => role === 'sentinels')?.clients ?? []

describe('sharing the roster', () => {
  it('gives every client to exactly one thread, ascending, and no thread nothing', () => {
    fc.assert(
      fc.property(
        fc.record({
          clients: fc.integer({ min: 1, max: 3_000 }),
          threads: fc.integer({ min: 1, max: 9 }),
          sentinels: fc.integer({ min: 0, max: 2_000 }),
          targets: fc.integer({ min: 1, max: 5 }),
        }),
        (more) => {
          const shares = shareRoster(facts(more))
          const all = shares.flatMap(({ clients }) => clients).sort((a, b) => a - b)
          assert.deepEqual(
            all,
            Array.from({ length: more.clients }, (_, index) => index),
          )
          for (const { clients } of shares) {
            assert.ok(clients.length > 0)
            assert.deepEqual(
              clients,
              [...clients].sort((a, b) => a - b),
            )
          }
          assert.deepEqual(
            shares.map(({ thread }) => thread),
            shares.map((_, index) => index),
          )
        },
      ),
    )
  })

  it('keeps threads within one client of each other, and has every thread meet every target evenly', () => {
    for (const targets of [1, 2, 3, 4]) {
      const shares = shareRoster(facts({ clients: 12_000, threads: 4, sentinels: 0, targets }))
      for (const { clients } of shares) {
        assert.equal(clients.length, 3_000)
        for (let target = 0; target < targets; target++) {
          assert.ok(Math.abs(clients.filter((client) => client % targets === target).length - 3_000 / targets) <= 2)
        }
      }
    }
  })

  it('starts no more threads than there are clients', () => {
    assert.equal(shareRoster(facts({ clients: 3, threads: 8 })).length, 3)
  })

  it('holds back sentinels only when the roster is larger than 500', () => {
    assert.deepEqual(sentinelsOf(facts({ clients: 500 })), [])
    assert.equal(sentinelsOf(facts({ clients: 501 })).length, 16)
    assert.deepEqual(sentinelsOf(facts({ clients: 501, sentinels: 0 })), [])
  })

  it('spreads sentinels over connect order and targets', () => {
    const sentinels = sentinelsOf(facts({ clients: 20_000, targets: 4 }))
    sentinels.forEach((client, index) => {
      assert.equal(client % 4, index % 4)
      assert.ok(client >= index * 1_250 && client < (index + 1) * 1_250, `${client} lies in part ${index}`)
    })
  })

  it('gives replicas the sentinels that lie in their share', () => {
    const roster = { firstClient: 0, clients: 20_000 }
    const replicas = [0, 5_000, 10_000, 15_000].map((firstClient) =>
      sentinelsOf(facts({ clients: 20_000, roster, share: { firstClient, clients: 5_000 } })),
    )
    assert.deepEqual(replicas.flat(), sentinelsOf(facts({ clients: 20_000 })))
    assert.ok(replicas.every((sentinels) => sentinels.length === 4))
  })
})
