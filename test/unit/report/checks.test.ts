import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Histogram } from '../../../src/measure/histogram.ts'
import { type Check, describeCheck, judge } from '../../../src/report/checks.ts'
import type { Distribution, Figures } from '../../../src/report/figures.ts'
import { parseThresholds } from '../../../src/report/thresholds.ts'

/** 1 ms, 2 ms, … `count` ms, and `missing` more that never came. */
function steps(count: number, missing = 0): Distribution {
  const histogram = new Histogram()
  for (let ms = 1; ms <= count; ms++) histogram.record(ms * 1_000)
  return { histogram: histogram.data(), missing }
}

const check = (text: string, figures: Partial<Figures>): Check =>
  judge(parseThresholds(text).at(-1)!, { values: {}, distributions: {}, ...figures })

test('counts, shares and rates are compared with their limits', () => {
  const values = { lost: 3, expected: 3_000, ready: 870, wanted: 1_000, rate: 33.1, asked: 33.33, duplicated: 0 }
  const rows: [text: string, ok: boolean][] = [
    ['lost==0', false],
    ['lost==3', true],
    ['lost!=3', false],
    ['lost<3', false],
    ['lost<=3', true],
    ['lost>3', false],
    ['lost>=3', true],
    ['lost<=0.1%', true],
    ['lost<0.1%', false],
    ['ready==100%', false],
    ['ready==87%', true],
    ['ready>=0.87*wanted', true],
    ['rate>=0.99*asked', true],
    ['rate>=99.5%', false],
    ['duplicated==0', true],
  ]
  for (const [text, ok] of rows) assert.equal(check(text, { values }).ok, ok, text)
})

test('a check on a figure the run does not know is broken, whatever the operator', () => {
  for (const text of ['lost==0', 'lost>=0', 'rate>=0.99*asked', 'rate<1000/s', 'p99<1s', 'completion.max<1s', 'timeToEmpty<5s']) {
    const { ok, why } = check(text, { values: text.includes('asked') ? { rate: 30 } : {} })
    assert.equal(ok, false, text)
    assert.match(why ?? '', /knows no/, text)
  }
})

test('a percentile is the nearest rank over what came and what did not', () => {
  const rows: [text: string, distribution: Distribution, ok: boolean, actualUs: number | undefined][] = [
    // everything came: 99 % of 1,000 is the 990th
    ['p99<=991ms', steps(1_000), true, 990_000],
    ['p99<989ms', steps(1_000), false, 990_000],
    // 10 of 1,000 missing: the 990th of 990 is still in hand
    ['p99<=991ms', steps(990, 10), true, 990_000],
    // 11 missing: more than 1 % never came
    ['p99<=10s', steps(989, 11), false, undefined],
    // and "greater than" does not turn a percentile that was not reached into a pass
    ['p99>1us', steps(989, 11), false, undefined],
    // missing ones shift every percentile: the median of 500 with 500 missing is the largest in hand
    ['p50<=501ms', steps(500, 500), true, 500_000],
    ['p50<=499ms', steps(500, 500), false, 500_000],
    ['p99.5<=2s', steps(2_000), true, 1_990_000],
  ]
  for (const [text, delivery, ok, actualUs] of rows) {
    const result = check(text, { distributions: { delivery } })
    assert.equal(result.ok, ok, `${text} ${describeCheck(result)}`)
    if (actualUs === undefined) assert.match(result.why ?? '', /^not reached/)
    else assert.ok(Math.abs(result.actual! - actualUs) <= actualUs / 1_000, `${result.actual}`)
  }
})

test('mean and max are not reached when anything is missing; min is what came', () => {
  for (const text of ['mean<1s', 'max<1s']) {
    assert.equal(check(text, { distributions: { delivery: steps(10) } }).ok, true)
    assert.match(check(text, { distributions: { delivery: steps(10, 1) } }).why ?? '', /^not reached: 1 of 11/)
  }
  assert.equal(check('min<=1ms', { distributions: { delivery: steps(10, 1) } }).ok, true)
  assert.match(check('min<1s', { distributions: { delivery: steps(0, 5) } }).why ?? '', /^not reached/)
})

test('a percentile with fewer than ten samples beyond it breaks its check and says how many are needed', () => {
  assert.match(
    check('p99<1h'.replace('1h', '3600s'), { distributions: { delivery: steps(999) } }).why ?? '',
    /needs 1,000 samples, there are 999/,
  )
  assert.equal(check('p99<3600s', { distributions: { delivery: steps(1_000) } }).ok, true)
  assert.match(check('p99.9<1s', { distributions: { delivery: steps(9_999) } }).why ?? '', /needs 10,000 samples/)
  // so few came that both rules speak: what never came is the stronger reason
  assert.match(check('p99<1s', { distributions: { delivery: steps(50, 50) } }).why ?? '', /not reached/)
})

test('a check is described with its figure, and its limit where that was computed', () => {
  assert.equal(describeCheck(check('lost==0', { values: { lost: 3 } })), 'lost==0: 3')
  assert.equal(describeCheck(check('ready==100%', { values: { ready: 870, wanted: 1_000 } })), 'ready==100%: 870 (limit 1,000)')
  assert.equal(describeCheck(check('p50<10ms', { distributions: { delivery: steps(1_000) } })), 'p50<10ms: 500 ms')
  assert.equal(describeCheck(check('p99<1s', { distributions: { delivery: steps(9, 91) } })), 'p99<1s: not reached: 91 of 100 never came')
})
