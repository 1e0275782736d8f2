import assert from 'node:assert/strict'
import { test } from 'node:test'
import { clientName } from '../../../src/protocols/client-name.ts'

const identity = { client: 12, replica: 3, runId: 'k3v9q2x1', streams: [] }

for (const [template, name] of [
  ['ff-{{run}}-{{index}}', 'ff-k3v9q2x1-12'],
  ['user{{replica}}', 'user3'],
  // Every occurrence is filled in.
  ['{{index}}.{{index}}', '12.12'],
  // What is no placeholder stays as it was written.
  ['{{stream}} {index}', '{{stream}} {index}'],
] as const) {
  test(`the name made from ${template} is ${name}`, () => assert.equal(clientName(template, identity), name))
}
