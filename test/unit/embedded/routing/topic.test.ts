import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { topicMatches, topicWords } from '../../../../src/embedded/routing/topic.ts'

const matches = (pattern: string, key: string): boolean => topicMatches(topicWords(pattern), topicWords(key))

const table: readonly [pattern: string, key: string, expected: boolean, because: string][] = [
  ['public.k3v9', 'public.k3v9', true, 'words are equal'],
  ['public.k3v9', 'public.other', false, 'a word differs'],
  ['public.*', 'public.k3v9', true, '* is one word'],
  ['public.*', 'public', false, '* is not none'],
  ['public.*', 'public.a.b', false, '* is not two'],
  ['*', '', true, 'an empty key is one empty word'],
  ['#', '', true, '# is anything'],
  ['#', 'a.b.c', true, '# is many words'],
  ['public.#', 'public', true, '# may be none'],
  ['#.b', 'a.b', true, '# in front'],
  ['#.b', 'b', true, '# in front may be none'],
  ['a.#.b', 'a.x.y.b', true, '# in between'],
  ['a.#.b', 'a.x.y', false, 'the end is missing'],
  ['a.*.#', 'a', false, '* before # still wants one'],
  ['#.*', 'a.b', true, '# gives way to *'],
  ['#.a.#', 'x.a.y', true, '# on both sides'],
  ['a*', 'ab', false, '* is a wildcard only as a whole word'],
  ['', '', true, 'an empty pattern takes an empty key'],
]

for (const [pattern, key, expected, because] of table) {
  test(`the pattern '${pattern}' ${expected ? 'takes' : 'refuses'} the key '${key}': ${because}`, () => {
    assert.equal(matches(pattern, key), expected)
  })
}

/** The definition, word for word, without any cleverness. */
function matchesByDefinition(pattern: readonly string[], words: readonly string[]): boolean {
  const [first, ...rest] = pattern
  if (first === undefined) return words.length === 0
  if (first === '#') return matchesByDefinition(rest, words) || (words.length > 0 && matchesByDefinition(pattern, words.slice(1)))
  return words.length > 0 && (first === '*' || first === words[0]) && matchesByDefinition(rest, words.slice(1))
}

test('matching agrees with the definition for any pattern and key', () => {
  const pattern = fc.array(fc.constantFrom('a', 'b', '*', '#'), { minLength: 1, maxLength: 7 })
  const words = fc.array(fc.constantFrom('a', 'b', ''), { minLength: 1, maxLength: 8 })
  fc.assert(
    fc.property(pattern, words, (p, w) => topicMatches(p, w) === matchesByDefinition(p, w)),
    { numRuns: 2_000 },
  )
})
