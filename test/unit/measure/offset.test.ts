import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { isSameClock, readClockIdentity } from '../../../src/measure/clock-identity.ts'
import { DRIFT_RATIO, type Exchange, OffsetEstimator, offsetInterval } from '../../../src/measure/offset.ts'

/** Our clock is true time; theirs is shifted, drifts, and may be stepped. */
interface Their {
  readonly shiftUs: number
  readonly driftPpm: number
  readonly stepAtUs: number
  readonly stepUs: number
}

const trueOffsetUs = (their: Their, ourUs: number): number =>
  their.shiftUs + ourUs * their.driftPpm * 1e-6 + (ourUs >= their.stepAtUs ? their.stepUs : 0)

interface Trip {
  readonly pauseUs: number
  readonly thereUs: number
  readonly answerUs: number
  readonly backUs: number
}

function exchanges(their: Their, trips: readonly Trip[]): Exchange[] {
  let nowUs = 0
  return trips.map(({ pauseUs, thereUs, answerUs, backUs }) => {
    const sentUs = nowUs + pauseUs
    const arrivedUs = sentUs + thereUs
    const answeredUs = arrivedUs + answerUs
    nowUs = answeredUs + backUs
    return {
      sentUs,
      theirReceivedUs: arrivedUs + trueOffsetUs(their, arrivedUs),
      theirSentUs: answeredUs + trueOffsetUs(their, answeredUs),
      receivedUs: nowUs,
    }
  })
}

const delays = fc.oneof(fc.integer({ min: 20, max: 500 }), fc.integer({ min: 20, max: 100_000 }))
const trips = fc.array(
  fc.record({
    pauseUs: fc.integer({ min: 0, max: 2_000_000 }),
    thereUs: delays,
    answerUs: fc.integer({ min: 0, max: 2_000 }),
    backUs: delays,
  }),
  { minLength: 1, maxLength: 40 },
)
const theirs = fc.record({
  shiftUs: fc.integer({ min: -50_000, max: 50_000 }),
  driftPpm: fc.integer({ min: -50, max: 50 }),
  stepAtUs: fc.integer({ min: 0, max: 40_000_000 }),
  stepUs: fc.constant(0),
})

const READ_BOUND_US = 0.5

function estimatorOf(drawn: readonly Exchange[]): OffsetEstimator {
  const estimator = new OffsetEstimator(READ_BOUND_US)
  for (const exchange of drawn) estimator.add(exchange)
  return estimator
}

test('the true offset lies inside the bound, at any moment, whatever shift, drift and unequal delays', () => {
  fc.assert(
    fc.property(theirs, trips, fc.array(fc.integer({ min: 0, max: 90_000_000 }), { maxLength: 10 }), (their, drawn, moments) => {
      const estimator = estimatorOf(exchanges(their, drawn))
      assert.equal(estimator.steps, 0)
      for (const ourUs of moments) {
        const { offsetUs, boundUs } = estimator.at(ourUs)!
        assert.ok(boundUs > 0)
        assert.ok(Math.abs(offsetUs - trueOffsetUs(their, ourUs)) <= boundUs)
      }
    }),
    { numRuns: 500 },
  )
})

test('a step of their clock is noticed, and the true offset stays inside the bound before, after and in between', () => {
  const steps = fc.constantFrom(-3_600_000_000, -50_000, -700, 700, 50_000, 3_600_000_000)
  const quick = fc.array(
    fc.record({
      pauseUs: fc.integer({ min: 600_000, max: 1_000_000 }),
      thereUs: fc.integer({ min: 20, max: 200 }),
      answerUs: fc.constant(10),
      backUs: fc.integer({ min: 20, max: 200 }),
    }),
    { minLength: 20, maxLength: 40 },
  )
  fc.assert(
    fc.property(
      theirs,
      quick,
      steps,
      fc.integer({ min: 1, max: 18 }),
      fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { maxLength: 10 }),
      (drawn, drawnTrips, stepUs, after, moments) => {
        // The step falls in the pause after an exchange, and both sides of it are known by later exchanges.
        const stepAtUs = exchanges({ ...drawn, stepUs: 0 }, drawnTrips)[after]!.receivedUs + 1_000
        const their = { ...drawn, stepAtUs, stepUs }
        const list = exchanges(their, drawnTrips)
        const estimator = estimatorOf(list)
        if (Math.abs(stepUs) >= 50_000) assert.equal(estimator.steps, 1)
        for (const part of moments) {
          const ourUs = part * list.at(-1)!.receivedUs
          const { offsetUs, boundUs } = estimator.at(ourUs)!
          if (estimator.steps === 1) assert.ok(Math.abs(offsetUs - trueOffsetUs(their, ourUs)) <= boundUs)
        }
      },
    ),
    { numRuns: 300 },
  )
})

test('the bound is half the shortest round trip plus 500 ppm of the time since then', () => {
  const estimator = estimatorOf([
    { sentUs: 0, theirReceivedUs: 10_100, theirSentUs: 10_100, receivedUs: 200 },
    { sentUs: 1_000_000, theirReceivedUs: 1_014_000, theirSentUs: 1_014_000, receivedUs: 1_040_000 },
  ])
  const now = estimator.at(200)!
  assert.ok(Math.abs(now.offsetUs - 10_000) < 0.1)
  assert.ok(Math.abs(now.boundUs - (100 + READ_BOUND_US)) < 0.1)
  // The second took 40 ms: the first says more, even a second later.
  const later = estimator.at(1_000_000)!
  assert.ok(Math.abs(later.boundUs - (100 + READ_BOUND_US + 1_000_000 * DRIFT_RATIO)) < 0.2)
})

test('times that contradict each other are left out', () => {
  const estimator = estimatorOf([
    { sentUs: 100, theirReceivedUs: 0, theirSentUs: 0, receivedUs: 50 },
    { sentUs: 0, theirReceivedUs: 50, theirSentUs: 40, receivedUs: 100 },
    { sentUs: 0, theirReceivedUs: 0, theirSentUs: 500, receivedUs: 100 },
  ])
  assert.equal(estimator.at(0), undefined)
})

test('a long run keeps a bounded number of exchanges, and the best of them', () => {
  const their = { shiftUs: 700, driftPpm: 30, stepAtUs: 0, stepUs: 0 }
  const day = Array.from({ length: 9_000 }, (_, second) => ({
    pauseUs: 1_000_000,
    thereUs: second % 2 === 0 ? 40 : 4_000,
    answerUs: 5,
    backUs: 40,
  }))
  const list = exchanges(their, day)
  const estimator = estimatorOf(list)
  for (const exchange of [list[0]!, list[4_999]!, list.at(-1)!]) {
    const { offsetUs, boundUs } = estimator.at(exchange.sentUs)!
    assert.ok(Math.abs(offsetUs - trueOffsetUs(their, exchange.sentUs)) <= boundUs)
    assert.ok(boundUs < 5_000)
  }
})

test('one clock is shared only when boot and time namespace are known and equal, and an exchange allows no offset', () => {
  const here = { bootId: 'a', timeNamespace: 'time:[1]' }
  const agreeing = { sentUs: 100, theirReceivedUs: 110, theirSentUs: 120, receivedUs: 130 }
  const shifted = { sentUs: 100, theirReceivedUs: 5_110, theirSentUs: 5_120, receivedUs: 130 }
  assert.equal(isSameClock(here, here, agreeing), true)
  assert.equal(isSameClock(here, here, shifted), false)
  assert.equal(isSameClock(here, { ...here, bootId: 'b' }, agreeing), false)
  assert.equal(isSameClock(here, { ...here, timeNamespace: 'time:[2]' }, agreeing), false)
  assert.equal(
    isSameClock({ bootId: undefined, timeNamespace: undefined }, { bootId: undefined, timeNamespace: undefined }, agreeing),
    false,
  )
  assert.equal(isSameClock(here, here, { ...agreeing, receivedUs: 0 }), false)
  assert.deepEqual(offsetInterval(agreeing), { lowestUs: -10, highestUs: 10 })
})

test('this process knows the identity of its clock on Linux, and nothing elsewhere', () => {
  const { bootId, timeNamespace } = readClockIdentity()
  if (process.platform !== 'linux') {
    assert.deepEqual([bootId, timeNamespace], [undefined, undefined])
    return
  }
  assert.match(bootId!, /^[0-9a-f-]{36}$/)
  assert.match(timeNamespace!, /^time:\[\d+\]$/)
})
