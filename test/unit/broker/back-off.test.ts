import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { backOffMs } from '../../../src/broker/back-off.ts'

test('the wait before dialing again doubles up to two seconds', () => {
  assert.deepEqual(
    [0, 1, 2, 3, 4, 5, 60].map((attempt) => backOffMs(attempt, 0)),
    [100, 200, 400, 800, 1_600, 2_000, 2_000],
  )
})

test('chance takes off at most half, so that no two dialers keep in step', () => {
  fc.assert(
    fc.property(fc.nat(100), fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }), (attempt, chance) => {
      const fullMs = backOffMs(attempt, 0)
      const waitMs = backOffMs(attempt, chance)
      assert.ok(waitMs > fullMs / 2 - 1e-9 && waitMs <= fullMs)
    }),
  )
})
