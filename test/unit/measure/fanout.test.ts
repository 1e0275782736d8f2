import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { Fanout } from '../../../src/measure/fanout.ts'

const stamp = (sequence: number) => ({ stream: 3, sequence, intendedUs: sequence * 10, sentUs: sequence * 10 + 1 })
const list = ({ rows }: ReturnType<Fanout['take']>) =>
  Array.from(rows.count, (count, row) => [rows.sequence[row], count, rows.firstUs[row], rows.lastUs[row]])

test('rows hold first, last and count of each probe since the last handover, by sequence', () => {
  const sequences = fc.array(fc.oneof(fc.nat(20), fc.nat(3_000), fc.constantFrom(0, 256, 512, 2 ** 20, 2 ** 31 - 2)), { maxLength: 600 })
  fc.assert(
    fc.property(fc.array(sequences, { maxLength: 3 }), (handovers) => {
      const fanout = new Fanout(3)
      let nowUs = 0
      for (const arrivals of handovers) {
        const model = new Map<number, [number, number, number, number]>()
        for (const sequence of arrivals) {
          const known = model.get(sequence)
          assert.equal(fanout.add(sequence, stamp(sequence), ++nowUs), known !== undefined)
          model.set(sequence, known === undefined ? [sequence, 1, nowUs, nowUs] : [sequence, known[1] + 1, known[2], nowUs])
        }
        const taken = fanout.take()
        assert.deepEqual(
          list(taken),
          [...model.values()].sort((a, b) => a[0] - b[0]),
        )
        assert.equal(taken.capped, 0)
        assert.ok(taken.rows.stream.every((stream) => stream === 3))
        assert.ok(taken.rows.sentUs.every((sentUs, row) => sentUs === taken.rows.intendedUs[row]! + 1))
      }
    }),
  )
})

test('deliveries that find no room are counted, and there is room again after the next handover', () => {
  const fanout = new Fanout(0, 2)
  for (const sequence of [5, 9, 7, 7, 5]) fanout.add(sequence, stamp(sequence), 100)
  const taken = fanout.take()
  assert.deepEqual(
    list(taken).map(([sequence, count]) => [sequence, count]),
    [
      [5, 2],
      [9, 1],
    ],
  )
  assert.equal(taken.capped, 2)
  fanout.add(7, stamp(7), 200)
  assert.deepEqual(list(fanout.take()), [[7, 1, 200, 200]])
})
