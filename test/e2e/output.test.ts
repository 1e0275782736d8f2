import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, openSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { fanfare, PROGRAM, startFanfare } from '../fixtures/fanfare.ts'
import { type Stage, setStage } from '../fixtures/stage.ts'

const small = { WS_POOL_SIZE: '10', MSG_COUNT: '20', MSG_DELAY: '5' }

let stage: Stage
before(async () => {
  stage = await setStage()
})
after(() => stage.close())

describe('who reads the output may go away', { concurrency: 2 }, () => {
  test('of the results: the run goes on and its report is written', async () => {
    const running = startFanfare(['run'], { ...small, ...stage.settings })
    running.child.stdout!.destroy()
    const { exitCode, report } = await running.ended
    assert.equal(exitCode, 0)
    assert.equal(report?.deliveries.delivered, 200)
  })

  test('of the log: nothing else changes', async () => {
    const running = startFanfare(['run'], { ...small, ...stage.settings })
    running.child.stderr!.destroy()
    const { exitCode, stdout } = await running.ended
    assert.equal(exitCode, 0)
    assert.match(stdout, /Received 200 messages/)
  })
})

test('results that cannot be written are a failure with a sentence, never a verdict; the report is there', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'fanfare-full-'))
  const env = { PATH: process.env.PATH, ...small, ...stage.settings, METRICS_PORT: '0', ALLOW_INVALID: 'on', REPORT_DIR: folder }
  const child = spawn(process.execPath, [PROGRAM, 'run'], { env, stdio: ['ignore', openSync('/dev/full', 'w'), 'pipe'] })
  let stderr = ''
  child.stderr!.setEncoding('utf8').on('data', (text: string) => {
    stderr += text
  })
  const [exitCode] = await once(child, 'close')
  const reports = readdirSync(folder)
  rmSync(folder, { recursive: true })
  assert.equal(exitCode, 70)
  assert.match(stderr, /^fanfare: The results could not be written: ENOSPC/m)
  assert.equal(reports.length, 1)
})

describe('LOG_LEVEL', () => {
  const shown = async (LOG_LEVEL: string): Promise<string> =>
    (await fanfare(['run'], { ...small, ...stage.settings, LOG_LEVEL, WS_POOLSIZE: '5', AMQP_WAIT_MS: '300', AMQP_EXCHANGE: 'nowhere' }))
      .stderr

  test('info shows progress and where to look, warn what is odd, error and silent neither', async () => {
    const [info, warn, error, silent] = await Promise.all(['info', 'warn', 'error', 'silent'].map(shown))
    assert.match(info!, /metrics at http:/)
    assert.match(info!, /clients 0 open/)
    for (const text of [info!, warn!]) {
      assert.match(text, /warning: unknown-variable: WS_POOLSIZE/)
      assert.match(text, /warning: The exchange `nowhere` does not exist .* It is waited for \(AMQP_WAIT_MS\)\./)
    }
    assert.doesNotMatch(warn!, /clients|metrics at/)
    assert.equal(error, '')
    assert.equal(silent, '')
  })

  test('debug shows every attempt to reach the broker', async () => {
    const text = await shown('debug')
    assert.equal(text.match(/warning: The exchange `nowhere`/g)?.length, 1)
    assert.match(text, /debug: The exchange `nowhere`/)
  })

  test('does not hide why a command ended', async () => {
    const { exitCode, stderr } = await fanfare(['run'], { LOG_LEVEL: 'silent', MSG_COUNT: '0' })
    assert.equal(exitCode, 2)
    assert.match(stderr, /^fanfare: Expected `MSG_COUNT`/)
  })
})
