import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import fc from 'fast-check'
import { FanfareError } from '../../../src/errors.ts'
import { parseThresholds, type Threshold } from '../../../src/report/thresholds.ts'
import { figureTables } from '../../../src/report/thresholds-page.ts'

const only = (text: string): Threshold => parseThresholds(text).at(-1)!
const complaint = (text: string): string => {
  try {
    parseThresholds(text)
  } catch (error) {
    assert.ok(error instanceof FanfareError && error.code === 'settings-invalid')
    return error.message
  }
  assert.fail(`${text} was accepted`)
}

test('without THRESHOLDS a run is held to the defaults', () => {
  for (const text of ['', '  \n']) {
    assert.deepEqual(
      parseThresholds(text).map((threshold) => threshold.text),
      ['lost==0', 'missed==0', 'ready==100%'],
    )
  }
})

test('naming a default again replaces it, anything else is added', () => {
  assert.deepEqual(
    parseThresholds('ready >= 99%, p99 < 250 ms, Lost<0.1%').map((threshold) => threshold.text),
    ['missed==0', 'ready>=99%', 'p99<250ms', 'Lost<0.1%'],
  )
})

test('figures, operators and limits are read as written', () => {
  const rows: [text: string, name: string, operator: string, limit: Threshold['limit']][] = [
    ['p99<250ms', 'delivery.p99', '<', { kind: 'fixed', value: 250_000 }],
    ['p99.9<1s', 'delivery.p99.9', '<', { kind: 'fixed', value: 1_000_000 }],
    ['delivery.p50<=900us', 'delivery.p50', '<=', { kind: 'fixed', value: 900 }],
    ['service.p50<=20ms', 'service.p50', '<=', { kind: 'fixed', value: 20_000 }],
    ['completion.p99<1.5s', 'completion.p99', '<', { kind: 'fixed', value: 1_500_000 }],
    ['spread.max>0us', 'spread.max', '>', { kind: 'fixed', value: 0 }],
    ['mean<5 µs', 'delivery.mean', '<', { kind: 'fixed', value: 5 }],
    ['min>-1ms', 'delivery.min', '>', { kind: 'fixed', value: -1_000 }],
    ['duplicated==0', 'duplicated', '==', { kind: 'fixed', value: 0 }],
    ['out_of_order!=0', 'outOfOrder', '!=', { kind: 'fixed', value: 0 }],
    ['confirmed==100%', 'confirmed', '==', { kind: 'share', ratio: 1, of: 'published' }],
    ['rate>=0.99*asked', 'rate', '>=', { kind: 'share', ratio: 0.99, of: 'asked' }],
    ['rate >= 0.99 * asked', 'rate', '>=', { kind: 'share', ratio: 0.99, of: 'asked' }],
    ['rate>=33/s', 'rate', '>=', { kind: 'fixed', value: 33 }],
    ['delivery-rate>=95%', 'deliveryRate', '>=', { kind: 'share', ratio: 0.95, of: 'offered' }],
    ['time-to-empty<5s', 'timeToEmpty', '<', { kind: 'fixed', value: 5_000_000 }],
    ['ready.p99<1s', 'ready.p99', '<', { kind: 'fixed', value: 1_000_000 }],
  ]
  for (const [text, name, operator, limit] of rows) {
    const threshold = only(text)
    assert.deepEqual([threshold.name, threshold.operator, threshold.limit], [name, operator, limit], text)
  }
})

test('a mistake is shown with its place, its rule and what was found', () => {
  const rows: [text: string, character: number, words: RegExp][] = [
    ['p99<250', 8, /`p99` is a time and needs a unit/],
    ['p99<250m', 8, /got `m`/],
    ['lost==0, p99=250ms', 13, /a single `=` is no comparison/],
    ['p99 250ms', 5, /expected one of < <= > >= == !=/],
    ['p99<=>250ms', 4, /got `<=>`/],
    ['foo==1', 1, /unknown figure `foo`/],
    ['bar.p99<1s', 1, /unknown distribution `bar`; there are delivery, service/],
    ['service.p<1s', 9, /after `service.`/],
    ['p100<1s', 1, /between 0 and 100/],
    ['lost<', 6, /expected a number/],
    ['lost<none', 6, /got `none`/],
    ['lost==0ms', 8, /`lost` is a count, so it takes no `ms`/],
    ['rate>5ms', 7, /`rate` is a rate/],
    ['p99<50%', 7, /`p99` is not a share of anything/],
    ['rate>=0.9*offered', 11, /`rate` is compared with `asked`, got `offered`/],
    ['lost==0,', 9, /expected a figure/],
    ['lost==0,,p99<1s', 9, /expected a figure/],
    ['lost==1.2.3', 10, /takes no `.3`/],
  ]
  for (const [text, character, words] of rows) {
    const message = complaint(text)
    assert.match(message, words, text)
    assert.match(message, new RegExp(`^THRESHOLDS, character ${character}:`), text)
    const [, shown, caret] = message.split('\n')
    assert.equal(shown, `  ${text}`)
    assert.equal(caret, `  ${' '.repeat(character - 1)}^`)
  }
})

test('all mistakes are told at once', () => {
  const message = complaint('foo==1, p99<250, lost==0')
  assert.match(message, /unknown figure `foo`/)
  assert.match(message, /needs a unit/)
})

test('any text is either read or refused with a position inside it', () => {
  const alphabet = fc.constantFrom(...'p99.<>=!,*% lostmean0_-/µ\n\té'.split(''))
  fc.assert(
    fc.property(fc.string({ unit: alphabet, maxLength: 40 }), (text) => {
      try {
        for (const threshold of parseThresholds(text))
          assert.ok(Number.isFinite(threshold.limit.kind === 'fixed' ? threshold.limit.value : threshold.limit.ratio))
      } catch (error) {
        assert.ok(error instanceof FanfareError && error.code === 'settings-invalid', String(error))
        const character = Number(/character (\d+)/.exec(error.message)?.[1])
        assert.ok(character >= 1 && character <= text.length + 1)
      }
    }),
    { numRuns: 2_000 },
  )
})

test('docs/thresholds.md holds the figures the parser knows (npm run docs)', () => {
  const page = readFileSync(new URL('../../../docs/thresholds.md', import.meta.url), 'utf8')
  assert.ok(page.includes(figureTables()))
})

test('the example in docs/thresholds.md is what a mistake prints', () => {
  const page = readFileSync(new URL('../../../docs/thresholds.md', import.meta.url), 'utf8')
  assert.ok(page.includes(complaint('p99<250m, lost==0')))
})
