import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { describe, test } from 'node:test'
import { startBroker } from '../../src/embedded/broker.ts'
import { eventually } from '../doubles/eventually.ts'
import { PROGRAM, startFanfare } from '../fixtures/fanfare.ts'
import { setStage } from '../fixtures/stage.ts'

const LEAVE_DEADLINE_MS = 10_000

/** False once the process has ended, also while nobody has asked for its exit code. */
function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch {
    return false
  }
}

describe('a signal ends a run wherever it is, with a report', { concurrency: 4 }, () => {
  test('while the broker is waited for', async () => {
    const settings = { AMQP_ADDR: 'amqp://127.0.0.1:1', AMQP_WAIT_MS: '600000', WS_ADDR: 'ws://127.0.0.1:1/', WS_POOL_SIZE: '5' }
    const running = startFanfare(['run'], settings)
    await running.said(/Nothing listens at amqp:\/\/127\.0\.0\.1:1/)
    running.child.kill('SIGINT')
    const { exitCode, report } = await running.ended
    assert.equal(exitCode, 130)
    assert.equal(report?.stopReason, 'signal')
  })

  test('while clients connect', async () => {
    const stage = await setStage({ habits: [{ kind: 'silent', share: 1 }] })
    const settings = { ...stage.settings, WS_POOL_SIZE: '20', CONNECT_TIMEOUT_MS: '600000' }
    const running = startFanfare(['run'], settings)
    await running.said(/ connect 0 %/)
    running.child.kill('SIGTERM')
    const { exitCode, report } = await running.ended
    await stage.close()
    assert.equal(exitCode, 143)
    assert.equal(report?.clients.opened, 0)
  })

  test('while acknowledgements are awaited', async () => {
    const stage = await setStage({ habits: [{ kind: 'never-ack', share: 1 }] })
    const running = startFanfare(['run'], { ...stage.settings, WS_POOL_SIZE: '20', READY_TIMEOUT_MS: '600000' })
    await running.said(/ ready 0 %/)
    running.child.kill('SIGINT')
    const { exitCode, report } = await running.ended
    await stage.close()
    assert.equal(exitCode, 130)
    assert.equal(report?.clients.opened, 20)
    assert.equal(report?.clients.ready, 0)
  })

  test('while the canary is on its way', async () => {
    const stage = await setStage()
    await stage.broker.faults.inject({ kind: 'withhold-deliveries' })
    const running = startFanfare(['run'], { ...stage.settings, WS_POOL_SIZE: '5', CANARY_TIMEOUT_MS: '600000' })
    await running.said(/ canary/)
    running.child.kill('SIGINT')
    const { exitCode } = await running.ended
    await stage.close()
    assert.equal(exitCode, 130)
  })

  test('while a blocked broker is waited for', async () => {
    const stage = await setStage()
    const settings = { ...stage.settings, WS_POOL_SIZE: '5', MSG_COUNT: '100000', AMQP_WAIT_MS: '600000' }
    const running = startFanfare(['run'], settings)
    await running.said(/delivered [1-9]/)
    await stage.broker.faults.inject({ kind: 'alarm' })
    await running.said(/The broker blocks publishing/)
    running.child.kill('SIGINT')
    const { exitCode, report } = await running.ended
    await stage.close()
    assert.equal(exitCode, 130)
    assert.equal(report?.publish?.blocked?.length, 1)
  })

  test('in the drain: what has not come until then is booked', async () => {
    const stage = await setStage({ habits: [{ kind: 'freeze', ms: 600_000, atSequence: 19 }] })
    const settings = { ...stage.settings, WS_POOL_SIZE: '5', MSG_COUNT: '40', MSG_DELAY: '5', QUIET_MS: '600000' }
    const running = startFanfare(['run'], settings)
    await running.said(/ drain/)
    running.child.kill('SIGINT')
    const { exitCode, report } = await running.ended
    await stage.close()
    assert.equal(exitCode, 130)
    assert.equal(report?.verdict.outcome, 'interrupted')
    const { expected = 0, delivered = 0, missed = 0, lost = 0 } = report?.deliveries ?? {}
    assert.equal(expected, 200)
    assert.equal(expected, delivered + missed + lost)
  })

  test('while metrics linger: the verdict stands', async () => {
    const stage = await setStage()
    const settings = { ...stage.settings, WS_POOL_SIZE: '5', MSG_COUNT: '5', MSG_DELAY: '5', LINGER_MS: '600000' }
    const running = startFanfare(['run'], settings)
    await running.said(/Mean delivery time/)
    running.child.kill('SIGINT')
    const { exitCode } = await running.ended
    await stage.close()
    assert.equal(exitCode, 0)
  })
})

test('a second signal leaves at once', async () => {
  // The first one waits for clients to say goodbye to a target that hears nothing any more.
  const stage = await setStage({ habits: [{ kind: 'freeze', ms: 600_000, atSequence: 5 }] })
  const running = startFanfare(['run'], { ...stage.settings, WS_POOL_SIZE: '50', MSG_COUNT: '100000' })
  await running.said(/delivered [1-9]/)
  running.child.kill('SIGINT')
  running.child.kill('SIGTERM')
  const { exitCode, report } = await running.ended
  await stage.close()
  assert.ok(exitCode === 130 || exitCode === 143, `left with ${exitCode}`)
  assert.equal(report, undefined)
})

describe('counterparts end with who started them', { concurrency: 3 }, () => {
  test('a demo that is killed leaves no process behind', async () => {
    const running = startFanfare(['demo'], { WS_POOL_SIZE: '10', MSG_COUNT: '100000', LOG_LEVEL: 'debug' })
    const said: string[] = []
    running.child.stderr!.on('data', (text: string) => said.push(text))
    await running.said(/delivered [1-9]/)
    const pids = Array.from(said.join('').matchAll(/is process (\d+) at/g), ([, pid]) => Number(pid))
    assert.equal(pids.length, 2)
    running.child.kill('SIGKILL')
    await running.ended
    await eventually(() => !pids.some(isRunning), 'broker and target have ended', LEAVE_DEADLINE_MS)
  })

  for (const [what, args] of [
    ['broker', ['broker', '--port', '0']],
    ['target', ['target', '--port', '0', '--amqp', 'amqp://127.0.0.1:1']],
  ] as const) {
    test(`a ${what} whose parent was gone before it had started ends as well`, async () => {
      const child = spawn(process.execPath, [PROGRAM, ...args], { stdio: ['ignore', 'ignore', 'ignore', 'ipc'] })
      child.disconnect()
      const deadline = setTimeout(() => child.kill('SIGKILL'), LEAVE_DEADLINE_MS)
      const [exitCode] = await once(child, 'exit')
      clearTimeout(deadline)
      assert.equal(exitCode, 0)
    })
  }
})

test('a broker that dies for good ends the run within its stated times', async () => {
  const broker = await startBroker()
  const stage = await setStage({ amqp: broker.url })
  const settings = { ...stage.settings, AMQP_ADDR: broker.url, WS_POOL_SIZE: '5', MSG_COUNT: '100000', AMQP_WAIT_MS: '1000' }
  const running = startFanfare(['run'], settings)
  await running.said(/delivered [1-9]/)
  await broker.close()
  const { exitCode, report, stderr } = await running.ended
  await stage.close()
  assert.equal(exitCode, 1)
  assert.equal(report?.stopReason, 'broker-lost')
  assert.doesNotMatch(stderr, /nhandled/)
})
