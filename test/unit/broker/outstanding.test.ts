import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import type { InjectionOutcome } from '../../../src/broker/injector.ts'
import { Outstanding } from '../../../src/broker/outstanding.ts'

function tableOf(count: number) {
  const settled: [number, InjectionOutcome][] = []
  const table = new Outstanding()
  for (let sequence = 0; sequence < count; sequence++) assert.equal(table.add(0, sequence, 0), sequence + 1)
  const settle = (_stream: number, sequence: number, outcome: InjectionOutcome): void => {
    settled.push([sequence, outcome])
  }
  return { table, settled, settle }
}

test('a confirm settles the probe with its tag', () => {
  const { table, settled, settle } = tableOf(3)
  table.confirm(2, false, 'confirmed', settle)
  assert.deepEqual(settled, [[1, 'confirmed']])
  assert.equal(table.size, 2)
})

test('a multiple confirm settles everything up to its tag, and leaves the rest', () => {
  const { table, settled, settle } = tableOf(4)
  table.confirm(2, false, 'confirmed', settle)
  table.confirm(3, true, 'nacked', settle)
  assert.deepEqual(settled, [
    [1, 'confirmed'],
    [0, 'nacked'],
    [2, 'nacked'],
  ])
  assert.equal(table.size, 1)
})

test('a multiple confirm of tag 0 settles all', () => {
  const { table, settled, settle } = tableOf(3)
  table.confirm(0, true, 'confirmed', settle)
  assert.equal(settled.length, 3)
})

test('returned wins over the confirm that follows it', () => {
  const { table, settled, settle } = tableOf(2)
  table.markReturned(1)
  table.confirm(2, true, 'confirmed', settle)
  assert.deepEqual(settled, [
    [0, 'returned'],
    [1, 'confirmed'],
  ])
})

test('when the channel is gone, what was returned stays returned and the rest is unknown', () => {
  const { table, settled, settle } = tableOf(3)
  table.markReturned(2)
  table.abandon(settle)
  assert.deepEqual(settled, [
    [0, 'unknown'],
    [1, 'returned'],
    [2, 'unknown'],
  ])
  assert.equal(table.size, 0)
})

test('tags that nobody waits for are ignored', () => {
  const { table, settled, settle } = tableOf(1)
  table.markReturned(9)
  table.confirm(9, false, 'confirmed', settle)
  table.confirm(1, false, 'confirmed', settle)
  table.confirm(1, false, 'nacked', settle)
  assert.deepEqual(settled, [[0, 'confirmed']])
})

test('whatever the broker answers, each probe is settled exactly once', () => {
  const answer = fc.record({ tag: fc.nat(60), isMultiple: fc.boolean(), isNack: fc.boolean(), isReturn: fc.boolean() })
  fc.assert(
    fc.property(fc.nat(50), fc.array(answer, { maxLength: 80 }), (count, answers) => {
      const { table, settled, settle } = tableOf(count)
      for (const { tag, isMultiple, isNack, isReturn } of answers) {
        if (isReturn) table.markReturned(tag)
        else table.confirm(tag, isMultiple, isNack ? 'nacked' : 'confirmed', settle)
        assert.equal(table.size + settled.length, count)
      }
      table.abandon(settle)
      assert.deepEqual(
        settled.map(([sequence]) => sequence).sort((a, b) => a - b),
        [...Array(count).keys()],
      )
    }),
  )
})
