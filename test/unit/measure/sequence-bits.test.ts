import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { SequenceBits } from '../../../src/measure/sequence-bits.ts'

const all = (bits: SequenceBits, row: number): number[] => {
  const found: number[] = []
  bits.each(row, (sequence) => found.push(sequence))
  return found
}

test('it is a set: whatever is added and removed, it holds the same as a Set would', () => {
  const commands = fc.array(
    fc.tuple(
      fc.nat(2),
      fc.oneof(fc.nat(80), fc.nat(5_000), fc.constant(2 ** 31 - 3_000)),
      fc.oneof(fc.nat(3), fc.nat(2_500)),
      fc.boolean(),
    ),
    { maxLength: 60 },
  )
  fc.assert(
    fc.property(commands, (drawn) => {
      const bits = new SequenceBits(3, 1e9)
      const model = [new Set<number>(), new Set<number>(), new Set<number>()]
      for (const [row, from, length, isRemoval] of drawn) {
        const known = model[row]!
        if (isRemoval) {
          assert.equal(bits.remove(row, from), known.delete(from))
          continue
        }
        // Ranges are added only where nothing is yet, as the ledger does.
        let to = from
        while (to < from + length && !known.has(to)) known.add(to++)
        bits.addRange(row, from, to)
      }
      model.forEach((known, row) => {
        assert.equal(bits.count(row), known.size)
        assert.deepEqual(
          all(bits, row),
          [...known].sort((a, b) => a - b),
        )
        for (const [, from] of drawn) assert.equal(bits.has(row, from), known.has(from))
      })
      assert.equal(bits.isFull, false)
    }),
  )
})

test('pages of a row that became empty are used again', () => {
  const bits = new SequenceBits(2, 1_000)
  for (let swap = 0; swap < 100_000; swap += 2) {
    bits.addRange(0, swap, swap + 1)
    assert.equal(bits.remove(0, swap), true)
  }
  assert.equal(bits.isFull, false)
  assert.equal(bits.bytes, 0)
})

test('past the limit it says so, and keeps what it has', () => {
  const bits = new SequenceBits(1, 1_000)
  bits.addRange(0, 0, 10)
  bits.addRange(0, 1_000_000, 2_000_000)
  assert.equal(bits.isFull, true)
  assert.ok(bits.bytes <= 1_000)
  assert.equal(bits.has(0, 3), true)
  assert.equal(bits.remove(0, 3), true)
})
