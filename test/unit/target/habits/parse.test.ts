import assert from 'node:assert/strict'
import { test } from 'node:test'
import { FanfareError } from '../../../../src/errors.ts'
import { parseDeed, parseHabits } from '../../../../src/target/habits/parse.ts'

const problemsOf = (parse: () => unknown): string[] => {
  try {
    parse()
    return []
  } catch (error) {
    assert.ok(error instanceof FanfareError && error.code === 'settings-invalid')
    return error.message.split('\n')
  }
}

test('good habits come back as they are', () => {
  const habits = [
    { kind: 'drop', clients: [0, 3], sequences: [7], probability: 0.5, seed: 9 },
    { kind: 'swap', first: 1, second: 2 },
    { kind: 'accept-rate', perSecond: 10 },
    { kind: 'freeze', ms: 10, atSequence: 0 },
  ]
  assert.deepEqual(parseHabits(habits), habits)
  assert.deepEqual(parseDeed({ kind: 'restart' }), { kind: 'restart' })
})

test('every problem of every habit is named, with the rule and the value', () => {
  const problems = problemsOf(() =>
    parseHabits([
      { kind: 'drop', probability: 2, sequences: [-1], client: [0] },
      { kind: 'delay' },
      { kind: 'sulk' },
      { kind: 'swap', first: 4, second: 4 },
      null,
    ]),
  )
  assert.deepEqual(problems.slice(0, 4), [
    'Expected no `client` of habit 0 (drop): there is no such field',
    'Expected `sequences` of habit 0 (drop) to be a list of whole numbers from 0, got [-1]',
    'Expected `probability` of habit 0 (drop) to be a number from 0 to 1, got 2',
    'Expected `ms` of habit 1 (delay) to be a whole number from 0 to 2147483647, got undefined',
  ])
  assert.match(problems[4] ?? '', /^Expected the kind of habit 2 to be one of drop, .*, got \{"kind":"sulk"\}$/)
  assert.match(problems[5] ?? '', /`first` of habit 3 \(swap\) to be below `second`/)
  assert.match(problems[6] ?? '', /kind of habit 4 .* got null$/)
})

test('habits that are no list, and deeds that are habits, are refused', () => {
  assert.equal(problemsOf(() => parseHabits({ kind: 'drop' })).length, 1)
  assert.equal(problemsOf(() => parseDeed({ kind: 'drop' })).length, 1)
  assert.equal(problemsOf(() => parseDeed({ kind: 'constructor' })).length, 1)
})
