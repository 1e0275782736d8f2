import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { reportJsonSchema } from '../../../src/report/json-schema.ts'

test('docs/report.schema.json is made from the schema in src (npm run docs)', () => {
  assert.ok(readFileSync(new URL('../../../docs/report.schema.json', import.meta.url), 'utf8') === reportJsonSchema())
})
