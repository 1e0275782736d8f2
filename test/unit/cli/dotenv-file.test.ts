import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { readDotenvFile } from '../../../src/cli/dotenv-file.ts'

test('a .env file is read without touching the environment, and a missing one is empty', (context) => {
  const folder = mkdtempSync(join(tmpdir(), 'fanfare-dotenv-'))
  context.after(() => rmSync(folder, { recursive: true }))
  const file = join(folder, '.env')
  assert.deepEqual(readDotenvFile(file), {})

  writeFileSync(file, '# the seed\nMSG_COUNT=5\nWS_ADDR="ws://a/?stream=x,y"\n')
  assert.deepEqual(readDotenvFile(file), { MSG_COUNT: '5', WS_ADDR: 'ws://a/?stream=x,y' })
  assert.equal(process.env.MSG_COUNT, undefined)
})

test('a .env that is there but cannot be read is refused', () => {
  assert.throws(() => readDotenvFile(tmpdir()), { code: 'settings-invalid', message: /EISDIR/ })
})
