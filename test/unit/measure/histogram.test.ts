import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import * as hdr from 'hdr-histogram-js'
import { encodeHistogram } from '../../../src/measure/hdr-encoding.ts'
import { BUCKETS, bucketOf, HIGHEST_US, highestOf, lowestOf } from '../../../src/measure/hdr-layout.ts'
import { emptyHistogram, Histogram } from '../../../src/measure/histogram.ts'
import { mergeHistograms, sumHistograms } from '../../../src/measure/histogram-merge.ts'
import { standardDeviation } from '../../../src/measure/moments.ts'
import { assertClose } from '../../doubles/assert-close.ts'

/** Latencies of every size: as many between 1 and 10 µs as between 6 minutes and an hour. */
const latencies = fc.double({ min: 0, max: Math.log(HIGHEST_US), noNaN: true }).map((exponent) => Math.exp(exponent))
const signed = fc.oneof(
  latencies,
  latencies,
  fc.tuple(latencies).map(([us]) => -us),
  fc.constantFrom(0, -0, 0.4, -0.4, 1, 2_047, 2_048, HIGHEST_US),
)

function recorded(values: readonly number[]): Histogram {
  const histogram = new Histogram()
  for (const us of values) histogram.record(us)
  return histogram
}

test('the layout is that of HdrHistogram for 1 µs to 1 h with three digits', () => {
  const reference = new hdr.Int32Histogram(1, HIGHEST_US, 3)
  fc.assert(
    fc.property(latencies.map(Math.round), (us) => {
      const bucket = bucketOf(us)
      assert.equal(bucket, reference.countsArrayIndex(us))
      assert.equal(lowestOf(bucket), reference.lowestEquivalentValue(us))
      assert.equal(highestOf(bucket), reference.highestEquivalentValue(us))
      assert.ok(lowestOf(bucket) <= us && us <= highestOf(bucket) && bucket < BUCKETS)
    }),
    { numRuns: 2_000 },
  )
})

test('every value from 1 µs to 1 h is known to a thousandth', () => {
  for (let bucket = 1; bucket < BUCKETS; bucket++) {
    assert.equal(bucketOf(Math.min(highestOf(bucket), HIGHEST_US)), bucket)
    assert.ok((highestOf(bucket) - lowestOf(bucket)) / lowestOf(bucket) < 0.001)
  }
})

test('count, extremes and mean are exact, below zero as above', () => {
  fc.assert(
    fc.property(fc.array(signed, { minLength: 1, maxLength: 300 }), (values) => {
      const whole = values.map((us) => Math.floor(us + 0.5))
      const data = recorded(values).data()
      const sum = whole.reduce((total, us) => total + us, 0)
      assert.equal(data.count, values.length)
      assert.equal(data.min, Math.min(...whole))
      assert.equal(data.max, Math.max(...whole))
      assert.ok(Math.abs(data.mean! - sum / whole.length) <= 1e-9 * (Math.abs(sum / whole.length) + 1e9 / whole.length))
      const below = whole.filter((us) => us < 0).length
      assert.equal(
        [...data.negative.count].reduce((total, count) => total + count, 0),
        below,
      )
    }),
  )
})

test('values beyond an hour are counted in the last bucket, their maximum and mean stay exact', () => {
  const data = recorded([1, 2 * HIGHEST_US, -3 * HIGHEST_US]).data()
  assert.deepEqual([data.count, data.min, data.max, data.mean], [3, -3 * HIGHEST_US, 2 * HIGHEST_US, (1 - HIGHEST_US) / 3])
  assert.deepEqual([...data.positive.index], [1, BUCKETS - 1])
  assert.deepEqual([...data.negative.index], [BUCKETS - 1])
})

test('what is not a number is a fault of ours, not a latency of zero', () => {
  assert.throws(() => new Histogram().record(Number.NaN), { code: 'fault' })
  assert.equal(new Histogram().data().mean, undefined)
})

test('recording n times is recording once with count n', () => {
  fc.assert(
    fc.property(fc.array(fc.tuple(signed, fc.integer({ min: 0, max: 50 })), { maxLength: 30 }), (pairs) => {
      const once = new Histogram()
      const many = new Histogram()
      for (const [us, times] of pairs) {
        many.recordMany(us, times)
        for (let n = 0; n < times; n++) once.record(us)
      }
      assertClose(once.data(), many.data())
    }),
  )
})

test('merging in any order and any grouping gives the histogram of all values', () => {
  const parts = fc.array(fc.array(signed, { maxLength: 40 }), { minLength: 1, maxLength: 6 })
  fc.assert(
    fc.property(parts, fc.nat(), (values, seed) => {
      const all = recorded(values.flat()).data()
      const data = values.map((part) => recorded(part).data())
      assertClose(sumHistograms(data), all)
      assertClose(sumHistograms(data.toReversed()), all)
      const split = seed % data.length
      assertClose(mergeHistograms(sumHistograms(data.slice(split)), sumHistograms(data.slice(0, split))), all)
      const recorder = Histogram.fromData(data[0]!)
      for (const part of data.slice(1)) recorder.merge(part)
      assertClose(recorder.data(), all)
    }),
  )
})

test('merging changes neither of its parts', () => {
  const a = recorded([1, 5_000]).data()
  const b = recorded([-3, 7e8]).data()
  const before = structuredClone([a, b])
  mergeHistograms(a, b)
  assert.deepEqual([a, b], before)
  assert.equal(mergeHistograms(a, emptyHistogram()), a)
})

test('taking leaves an empty histogram that records on as if new', () => {
  fc.assert(
    fc.property(fc.array(signed, { maxLength: 50 }), fc.array(signed, { maxLength: 50 }), (first, second) => {
      const histogram = recorded(first)
      assertClose(histogram.take(), recorded(first).data())
      assert.equal(histogram.count, 0)
      for (const us of second) histogram.record(us)
      assertClose(histogram.take(), recorded(second).data())
    }),
  )
})

test('the mean of a hundred million values is exact to one in a million, also far from zero', () => {
  const histogram = new Histogram()
  const values = [900_000_000.4, 1, 70_123.7, 3_599_999_999]
  for (const us of values) histogram.recordMany(us, 20_000_000)
  for (let n = 0; n < 20_000_000; n++) histogram.record(123_456_789 + (n & 1))
  const exact = (2e7 * (900_000_000 + 1 + 70_124 + 3_599_999_999) + 1e7 * (123_456_789 + 123_456_790)) / 1e8
  const data = histogram.data()
  assert.equal(data.count, 1e8)
  assert.ok(Math.abs(data.mean! / exact - 1) < 1e-6)
})

test('a small deviation around a large mean is not lost', () => {
  const histogram = new Histogram()
  for (let n = 0; n < 500_000; n++) histogram.record(3_000_000_000 + (n % 2))
  assert.ok(Math.abs(standardDeviation(histogram.data())! - 0.5) < 1e-6)
  assert.equal(standardDeviation(emptyHistogram()), undefined)
})

test('the standard encoding is read back by HdrHistogram with equal counts', () => {
  fc.assert(
    fc.property(fc.array(fc.tuple(latencies, fc.integer({ min: 1, max: 1_000_000 })), { maxLength: 50 }), (pairs) => {
      const histogram = new Histogram()
      for (const [us, times] of pairs) histogram.recordMany(us, times)
      const data = histogram.data()
      const decoded = hdr.decodeFromCompressedBase64(encodeHistogram(data)) as hdr.Int32Histogram
      assert.equal(decoded.totalCount, data.count)
      for (let at = 0; at < data.positive.index.length; at++) {
        assert.equal(decoded.getCountAtIndex(data.positive.index[at]!), data.positive.count[at])
      }
      assert.deepEqual([decoded.highestTrackableValue, decoded.numberOfSignificantValueDigits], [HIGHEST_US, 3])
    }),
    { numRuns: 50 },
  )
})
