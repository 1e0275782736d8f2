import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { escapeHeader, type StompVersion, unescapeHeader } from '../../../../src/protocols/stomp/header-text.ts'

test('what is escaped comes back, and breaks no header line', () => {
  const text = fc.string({ unit: fc.constantFrom('a', '\\', '\n', '\r', ':', 'c', 'n', 'é'), maxLength: 30 })
  fc.assert(
    fc.property(text, fc.constantFrom<StompVersion>('1.1', '1.2'), (value, version) => {
      const escaped = escapeHeader(version, value)
      assert.equal(unescapeHeader(version, escaped), value)
      assert.ok(!escaped.includes('\n') && !escaped.includes(':'))
      if (version === '1.2') assert.ok(!escaped.includes('\r'))
    }),
  )
})

for (const [version, written, means] of [
  // 1.0 has no escapes: a backslash is a backslash.
  ['1.0', 'a\\nb', 'a\\nb'],
  ['1.1', 'a\\nb\\\\n', 'a\nb\\n'],
  // 1.1 does not know \r, and an unknown escape is fatal.
  ['1.1', 'a\\r', undefined],
  ['1.2', 'a\\r\\c', 'a\r:'],
  ['1.2', 'a\\t', undefined],
  ['1.2', 'a\\', undefined],
] as const) {
  test(`in ${version} ${JSON.stringify(written)} means ${JSON.stringify(means) ?? 'nothing'}`, () => {
    assert.equal(unescapeHeader(version, written), means)
  })
}
