/** What docs/stamping.md tells other programs to write is what fanfare reads. */
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { TokenReader } from '../../../src/probe/codec.ts'

const page = readFileSync(new URL('../../../docs/stamping.md', import.meta.url))
const run = 'k3v9q2x1'

test('the token that the page shows is one', () => {
  const reader = new TokenReader(run)
  assert.ok(reader.findToken(page, 0, page.length) >= 0)
  assert.ok(reader.isOwnRun)
  assert.equal(reader.sequence, 42)
  assert.ok(reader.sentUs > reader.intendedUs)
})

test('the shell example stamps tokens that are read with its run, sequence and the time of now', () => {
  const lines = page.toString().split('\n')
  const stamping = lines.filter((line) => /^ {2}(us|token)=/.test(line))
  assert.equal(stamping.length, 2)
  const token = execFileSync('bash', ['-c', [`run=${run}`, 'sequence=7', ...stamping, 'printf %s "$token"'].join('\n')])
  const reader = new TokenReader(run)
  assert.equal(reader.findToken(token, 0, token.length), 0)
  assert.equal(token.length, 64)
  assert.ok(reader.isOwnRun)
  assert.equal(reader.stream, 0)
  assert.equal(reader.sequence, 7)
  assert.ok(Math.abs(reader.sentUs / 1_000 - Date.now()) < 60_000)
})
