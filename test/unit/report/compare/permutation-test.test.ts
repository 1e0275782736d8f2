import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { median, permutationTest } from '../../../../src/report/compare/permutation-test.ts'

test('five runs that all lie below five others: only 2 of 252 ways are as extreme', () => {
  assert.equal(permutationTest([1, 2, 3, 4, 5], [6, 7, 8, 9, 10]), 2 / 252)
})

test('runs that are all alike show nothing', () => {
  assert.equal(permutationTest([7, 7, 7, 7, 7], [7, 7, 7, 7, 7, 7]), 1)
})

test('fewer than five runs on a side are not tested', () => {
  assert.equal(permutationTest([1, 2, 3, 4], [5, 6, 7, 8, 9]), undefined)
})

const runs = (size: number) => fc.array(fc.integer({ min: 0, max: 1_000 }), { minLength: size, maxLength: size })

test('the p-value lies in (0, 1], does not depend on which side is which, nor on unit or offset', () => {
  fc.assert(
    fc.property(runs(5), runs(6), (before, after) => {
      const p = permutationTest(before, after)!
      assert.ok(p > 0 && p <= 1)
      assert.equal(permutationTest(after, before), p)
      const moved = (values: number[]) => values.map((value) => 8 * value + 4_096)
      assert.equal(permutationTest(moved(before), moved(after)), p)
    }),
    { numRuns: 60 },
  )
})

test('with nothing changed, p falls below 0.05 in about one of twenty comparisons', () => {
  // 400 pairs of sides from one generator; the test is exact, so at most 5 % up to the noise of 400 tries
  let state = 1
  const random = (): number => {
    state = (state * 48_271) % 2_147_483_647
    return state / 2_147_483_647
  }
  const side = (): number[] => Array.from({ length: 6 }, () => -Math.log(random()))
  const small = Array.from({ length: 400 }, () => permutationTest(side(), side())!).filter((p) => p <= 0.05).length
  assert.ok(small <= 36, `${small} of 400`)
})

test('with many runs ways are drawn, the same ones each time, and p is never 0', () => {
  const before = Array.from({ length: 12 }, (_, index) => index)
  const after = before.map((value) => value + 100)
  const p = permutationTest(before, after)!
  assert.ok(p > 0 && p < 0.001)
  assert.equal(permutationTest(before, after), p)
})

test('the median of an even number is the middle of the two', () => {
  assert.equal(median([9, 1, 4]), 4)
  assert.equal(median([4, 1, 9, 2]), 3)
})
