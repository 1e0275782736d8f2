import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { emptyHistogram, Histogram } from '../../../src/measure/histogram.ts'
import { cumulativeCounts, percentile, percentileRatios, percentiles } from '../../../src/measure/percentiles.ts'
import { US_PER_HOUR } from '../../../src/units.ts'

const latencies = fc.double({ min: 0, max: Math.log(US_PER_HOUR), noNaN: true }).map((exponent) => Math.round(Math.exp(exponent)))
const signed = fc.oneof(
  latencies,
  latencies.map((us) => -us),
)

const recorded = (values: readonly number[]) => {
  const histogram = new Histogram()
  for (const us of values) histogram.record(us)
  return histogram.data()
}

const nearestRank = (values: readonly number[], percent: number) => {
  const sorted = values.toSorted((a, b) => a - b)
  // Whole percents, so that the rank needs no fractions.
  return sorted[Math.max(1, Math.ceil((percent * sorted.length) / 100)) - 1]!
}

test('a percentile is within 0.1 % of the exact nearest rank, from 1 µs to 1 h and below zero', () => {
  fc.assert(
    fc.property(
      fc.array(fc.oneof(latencies, signed), { minLength: 1, maxLength: 400 }),
      fc.integer({ min: 0, max: 100 }),
      (values, percent) => {
        const exact = nearestRank(values, percent)
        const told = percentile(recorded(values), percent / 100)!
        assert.ok(Math.abs(told - exact) <= Math.abs(exact) * 0.001, `${told} for ${exact}`)
      },
    ),
    { numRuns: 1_000 },
  )
})

test('the last percentile is the maximum, exactly', () => {
  assert.equal(percentile(recorded([1, 123_456_789]), 1), 123_456_789)
  assert.equal(percentile(recorded([9 * US_PER_HOUR]), 0.5), 9 * US_PER_HOUR)
})

test('missing values count as infinitely large', () => {
  const data = recorded(new Array(99).fill(1_000))
  assert.equal(percentile(data, 0.99, 0), 1_000)
  assert.equal(percentile(data, 0.99, 1), 1_000)
  assert.equal(percentile(data, 0.99, 2), Number.POSITIVE_INFINITY)
  assert.equal(percentile(emptyHistogram(), 0.5, 3), Number.POSITIVE_INFINITY)
  assert.equal(percentile(emptyHistogram(), 0.5), undefined)
})

test('a percentile with fewer than ten values in its tail is left out', () => {
  const names = (count: number) => Object.keys(percentiles(recorded(new Array(count).fill(5))))
  assert.deepEqual(names(0), [])
  assert.deepEqual(names(19), [])
  assert.deepEqual(names(20), ['p50'])
  assert.deepEqual(names(100), ['p50', 'p90'])
  assert.deepEqual(names(999), ['p50', 'p90', 'p95'])
  assert.deepEqual(names(1_000), ['p50', 'p90', 'p95', 'p99'])
  assert.deepEqual(names(10_000), ['p50', 'p90', 'p95', 'p99', 'p999'])
  assert.deepEqual(names(100_000), Object.keys(percentileRatios))
})

test('cumulative counts agree with the values', () => {
  const bounds = [-1_000, 0, 100, 1_500, 1_000_000, US_PER_HOUR]
  fc.assert(
    fc.property(fc.array(signed, { maxLength: 200 }), (values) => {
      const data = recorded(values)
      const counts = cumulativeCounts(data, bounds)
      bounds.forEach((boundUs, at) => {
        const atMost = values.filter((us) => us <= boundUs).length
        // A bucket is at most a thousandth wide.
        const surelyAtMost = values.filter((us) => us + Math.abs(us) * 0.001 <= boundUs).length
        assert.ok(counts[at]! >= surelyAtMost && counts[at]! <= atMost)
        assert.ok(counts[at]! >= (counts[at - 1] ?? 0))
      })
    }),
  )
})
