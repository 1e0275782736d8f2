import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { fanoutColumns, joinFanouts, mergeFanout, NO_FANOUT } from '../../../src/measure/fanout-merge.ts'
import type { FanoutRows } from '../../../src/measure/snapshot.ts'
import { emptySnapshot, MAX_ENDINGS, MAX_MISSING_LISTED, mergeSnapshots } from '../../../src/measure/snapshot-merge.ts'
import { SnapshotTotal } from '../../../src/measure/snapshot-total.ts'
import { assertClose } from '../../doubles/assert-close.ts'
import { fanouts, snapshots } from '../../doubles/snapshot-arbitraries.ts'

test('merging is commutative', () => {
  fc.assert(fc.property(snapshots, snapshots, (a, b) => assertClose(mergeSnapshots(a, b), mergeSnapshots(b, a))))
})

test('merging is associative', () => {
  fc.assert(
    fc.property(snapshots, snapshots, snapshots, (a, b, c) => {
      assertClose(mergeSnapshots(mergeSnapshots(a, b), c), mergeSnapshots(a, mergeSnapshots(b, c)))
    }),
  )
})

test('the empty snapshot changes nothing, and merging changes neither side', () => {
  fc.assert(
    fc.property(snapshots, snapshots, (drawn, other) => {
      // Drawn endings may be more than a merged snapshot keeps.
      const a = { ...drawn, endings: mergeSnapshots(drawn, emptySnapshot()).endings }
      assertClose(mergeSnapshots(a, emptySnapshot()), a)
      const before = structuredClone([a, other])
      mergeSnapshots(a, other)
      assertClose([a, other], before)
    }),
  )
})

test('a running total is the fold of all snapshots, whenever it is read', () => {
  fc.assert(
    fc.property(fc.array(fc.tuple(snapshots, fc.boolean()), { maxLength: 6 }), (drawn) => {
      const total = new SnapshotTotal()
      for (const [snapshot, isRead] of drawn) {
        total.add(snapshot)
        if (isRead) total.read()
      }
      assertClose(
        total.read(),
        drawn.reduce((sum, [snapshot]) => mergeSnapshots(sum, snapshot), emptySnapshot()),
      )
      assert.equal(total.read(), total.read())
    }),
  )
})

test('a running total takes corrections, which cover no time, at once', () => {
  const total = new SnapshotTotal()
  total.add({ ...emptySnapshot(), unbalancedRows: 1 })
  assert.equal(total.read().unbalancedRows, 1)
})

test('a merged snapshot crosses threads and comes back equal', () => {
  fc.assert(
    fc.property(snapshots, snapshots, (a, b) => {
      const merged = mergeSnapshots(a, b)
      assertClose(structuredClone(merged), merged)
    }),
  )
})

test('fan-out rows of one probe add up: first of firsts, last of lasts, sum of counts', () => {
  const row = (firstUs: number, lastUs: number, count: number): FanoutRows => ({
    stream: [1],
    sequence: [4],
    intendedUs: [10],
    sentUs: [11],
    firstUs: [firstUs],
    lastUs: [lastUs],
    count: [count],
  })
  const { fanout } = mergeSnapshots({ ...emptySnapshot(), fanout: row(20, 50, 3) }, { ...emptySnapshot(), fanout: row(15, 30, 2) })
  assert.deepEqual(
    fanoutColumns.map((column) => [...fanout[column]]),
    [[1], [4], [10], [11], [15], [50], [5]],
  )
  assert.equal(mergeSnapshots(emptySnapshot(), emptySnapshot()).fanout, NO_FANOUT)
})

test('lists stay bounded, and what is cut off does not depend on the order', () => {
  const endings = Object.fromEntries(Array.from({ length: 100 }, (_, code) => [`${3_000 + code}`, 1]))
  const many = mergeSnapshots({ ...emptySnapshot(), endings }, { ...emptySnapshot(), endings: { 1006: 5 } })
  assert.equal(Object.keys(many.endings).length, MAX_ENDINGS + 1)
  assert.deepEqual([many.endings['1006'], many.endings.other], [5, 100 - (MAX_ENDINGS - 1)])

  const missing = (client: number) =>
    Array.from({ length: MAX_MISSING_LISTED }, (_, sequence) => ({ client, stream: 0, sequence, why: 'lost' as const }))
  const listed = mergeSnapshots({ ...emptySnapshot(), missing: missing(9) }, { ...emptySnapshot(), missing: missing(4) }).missing
  assert.deepEqual([listed.length, listed.at(-1)!.client], [MAX_MISSING_LISTED, 4])
})

test('rows of different streams are joined as they would be merged', () => {
  fc.assert(
    fc.property(fanouts, (rows) => {
      const ofStream = (stream: number): FanoutRows => {
        const wanted = Array.from(rows.stream.keys()).filter((row) => rows.stream[row] === stream)
        return Object.fromEntries(fanoutColumns.map((column) => [column, wanted.map((row) => rows[column][row])])) as unknown as FanoutRows
      }
      const parts = [ofStream(0), NO_FANOUT, ofStream(1)]
      const plain = (joined: FanoutRows) => fanoutColumns.map((column) => [...joined[column]])
      assert.deepEqual(plain(joinFanouts(parts)), plain(parts.reduce(mergeFanout)))
    }),
  )
})
