import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { Booking, Ledger, MAX_LEDGER_SEQUENCE } from '../../../src/measure/ledger.ts'
import { OwedProbes } from '../../../src/measure/owed.ts'
import { ProbeState } from '../../../src/measure/publisher-log.ts'

/** All of `count` probes confirmed, sent a microsecond apart from 1 on. */
const allOwed = (count: number): OwedProbes =>
  new OwedProbes(
    {
      stream: 0,
      count,
      sentUs: Float64Array.from({ length: count }, (_, sequence) => sequence + 1),
      states: new Uint8Array(count).fill(ProbeState.confirmed),
    },
    new Set(),
  )

test('every arrival is in order, out of order or a copy, as a set of what came before tells', () => {
  const arrivals = fc.array(fc.tuple(fc.nat(1), fc.oneof(fc.nat(30), fc.nat(4_000))), { maxLength: 200 })
  fc.assert(
    fc.property(arrivals, fc.nat(50), (drawn, sinceUs) => {
      const ledger = new Ledger(2, 1e8)
      const heard = [new Set<number>(), new Set<number>()]
      for (const [row, sequence] of drawn) {
        const before = heard[row]!
        const expected = before.has(sequence) ? Booking.copy : sequence > Math.max(-1, ...before) ? Booking.inOrder : Booking.outOfOrder
        assert.equal(ledger.book(row, sequence), expected)
        before.add(sequence)
      }
      const owed = allOwed(4_100)
      heard.forEach((known, row) => {
        const missing = Array.from({ length: 4_100 }, (_, sequence) => sequence).filter(
          (sequence) => !known.has(sequence) && sequence + 1 >= sinceUs,
        )
        assert.equal(ledger.highest(row), Math.max(-1, ...known))
        assert.equal(ledger.countMissing(row, owed, sinceUs, Number.POSITIVE_INFINITY), missing.length)
        const listed: number[] = []
        ledger.eachMissing(row, owed, sinceUs, (sequence) => listed.push(sequence) > 0)
        assert.deepEqual(listed, missing)
      })
    }),
  )
})

test('in order a row takes no memory beyond its integers, also when it starts late', () => {
  const ledger = new Ledger(1, 1e6)
  const { bytes } = ledger
  for (let sequence = 500_000; sequence < 600_000; sequence++) assert.equal(ledger.book(0, sequence), Booking.inOrder)
  assert.equal(ledger.bytes, bytes)
  assert.equal(ledger.countMissing(0, allOwed(600_010), 0, Number.POSITIVE_INFINITY), 500_010)
})

test('visiting what is missing stops when asked to', () => {
  const ledger = new Ledger(1, 1e6)
  for (const sequence of [5, 9, 20]) ledger.book(0, sequence)
  const visited: number[] = []
  ledger.eachMissing(0, allOwed(30), 0, (sequence) => visited.push(sequence) < 7)
  assert.deepEqual(visited, [0, 1, 2, 3, 4, 6, 7])
})

test('holes past the memory limit make the ledger say that it overflowed', () => {
  const ledger = new Ledger(1, 2_000)
  ledger.book(0, 0)
  assert.equal(ledger.isOverflowed, false)
  ledger.book(0, MAX_LEDGER_SEQUENCE)
  assert.equal(ledger.isOverflowed, true)
  assert.ok(ledger.bytes <= 2_000)
})
