import assert from 'node:assert/strict'
import { test } from 'node:test'
import { textOf } from './project-files.ts'

test('the code of CONTRIBUTING’s worked example is the code the tests run', () => {
  const tested = textOf('test/fixtures/example-dialect.ts') + textOf('test/contract/protocols/dialects.ts')
  const shown = [...textOf('CONTRIBUTING.md').matchAll(/```ts\n(.*?)\n```/gs)].map(([, code]) => code!)
  assert.equal(shown.length, 3)
  for (const code of shown) assert.ok(tested.includes(code), code)
})
