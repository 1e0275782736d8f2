import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { type AddressInfo, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { PROGRAM, startFanfare } from '../fixtures/fanfare.ts'

const DEADLINE_MS = 30_000

interface Asked {
  readonly args: readonly string[]
  readonly env?: Readonly<Record<string, string>>
  /** The text of a .env file in the working folder. */
  readonly dotenv?: string
  /** What a shell does first: `ulimit -n 256`. */
  readonly first?: string
}

/** Runs the built program in a folder of its own; the process that started the tests leaves no settings behind. */
async function run(context: TestContext, { args, env = {}, dotenv, first = ':' }: Asked) {
  const folder = mkdtempSync(join(tmpdir(), 'fanfare-command-'))
  context.after(() => rmSync(folder, { recursive: true }))
  if (dotenv !== undefined) writeFileSync(join(folder, '.env'), dotenv)
  const shellArgs = ['-c', `${first}; exec "$0" "$@"`, process.execPath, PROGRAM, ...args]
  return new Promise<{ exitCode: number; stdout: string; stderr: string }>((resolve) => {
    const options = { cwd: folder, env: { PATH: process.env.PATH, ...env }, timeout: DEADLINE_MS }
    execFile('sh', shellArgs, options, (error, stdout, stderr) => {
      resolve({ exitCode: error === null ? 0 : Number(error.code), stdout, stderr })
    })
  })
}

/** A port that takes connections, says nothing, and counts. */
async function listener(context: TestContext) {
  let connections = 0
  const server = createServer((socket) => {
    connections++
    socket.destroy()
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  context.after(() => server.close())
  return { port: (server.address() as AddressInfo).port, connections: () => connections }
}

test('wrong settings from flags, environment and .env file are refused together, without secrets', async (context) => {
  const { exitCode, stdout, stderr } = await run(context, {
    args: ['run', '--msg-cuont', '5', '--rate', 'fast', 'stray'],
    env: { AMQP_ADDR: 'amqp://guest:hunter2@rabbit/x y', THRESHOLDS: 'p99<1' },
    dotenv: 'WS_POOL_SIZE=-1\n',
  })
  assert.equal(exitCode, 2)
  assert.equal(stdout, '')
  assert.ok(!stderr.includes('hunter2'))
  for (const expected of [
    /`--msg-cuont`; did you mean `--msg-count`\?/,
    /`RATE` .* got `fast` \(from the flag --rate\)/,
    /`stray`/,
    /`AMQP_ADDR` .* \(from the environment\)/,
    /`THRESHOLDS`/,
    /`WS_POOL_SIZE` .* got `-1` \(from the \.env file\)/,
  ])
    assert.match(stderr, expected)
})

test('a variable that was meant to be a setting is warned about', async (context) => {
  const { stderr } = await run(context, { args: ['doctor'], env: { WS_POOLSIZE: '5' } })
  assert.match(stderr, /WS_POOLSIZE .* did you mean WS_POOL_SIZE\?/)
})

test('too few descriptors end the run before anything is dialed, with the numbers', async (context) => {
  const { port, connections } = await listener(context)
  const env = { WS_ADDR: `ws://127.0.0.1:${port}/`, AMQP_ADDR: `amqp://127.0.0.1:${port}`, METRICS_PORT: '0', WS_POOL_SIZE: '500' }
  const { exitCode, stderr } = await run(context, { args: ['run'], env, first: 'ulimit -n 256' })
  assert.equal(exitCode, 3)
  assert.match(stderr, /at least \d+ open files for 500 clients, got 256\. .*ulimit -n \d+/)
  assert.equal(connections(), 0)
})

test('a report folder that cannot be written ends the run before anything is dialed', async (context) => {
  const { port, connections } = await listener(context)
  const env = { WS_ADDR: `ws://127.0.0.1:${port}/`, AMQP_ADDR: `amqp://127.0.0.1:${port}`, METRICS_PORT: '0', WS_POOL_SIZE: '5' }
  const { exitCode, stderr } = await run(context, { args: ['run', '--report-dir', '/proc/reports'], env })
  assert.equal(exitCode, 3)
  assert.match(stderr, /\(REPORT_DIR\), got \/proc\/reports/)
  assert.equal(connections(), 0)
})

test('doctor shows what is needed and what is there, and says beforehand how a run would end', async (context) => {
  const good = await run(context, { args: ['doctor', '--ws-pool-size', '50'] })
  assert.equal(good.exitCode, 0, good.stderr)
  assert.match(good.stdout, /^50 clients to 1 target, .*\n.*ok +descriptors.*This machine can hold the run\.\n$/s)

  const poor = await run(context, { args: ['doctor', '--ws-pool-size', '500'], first: 'ulimit -n 256' })
  assert.equal(poor.exitCode, 3)
  assert.match(poor.stdout, /NO +descriptors +\d+ +256\n.*A run would be refused \(exit code 3\)\.\n$/s)
})

test('a reader that goes away is no fault', async (context) => {
  const { exitCode, stdout, stderr } = await run(context, {
    args: [],
    first: `"$0" "$1" doctor --ws-pool-size 50 2>errors | true; cat errors; exit 0`,
  })
  assert.deepEqual({ exitCode, stdout, stderr }, { exitCode: 0, stdout: '', stderr: '' })
})

test('a command line does not show its passwords to other users, and SIGINT ends the wait for a broker', async () => {
  const args = ['run', '--amqp-addr', 'amqp://guest:hunter2@127.0.0.1:1', '--amqp-wait-ms', '60000', '--ws-pool-size', '5']
  const running = startFanfare(args)
  await running.said(/metrics at /)
  assert.doesNotMatch(readFileSync(`/proc/${running.child.pid}/cmdline`, 'latin1'), /hunter2/)
  running.child.kill('SIGINT')
  const { exitCode, stdout, stderr } = await running.ended
  assert.equal(exitCode, 130)
  assert.doesNotMatch(stdout + stderr, /hunter2/)
})

test('settings that the demo brings itself are warned about', async () => {
  const running = startFanfare(['demo', '--ws-pool-size', '5', '--msg-count', '3'], { WS_ADDR: 'ws://127.0.0.1:1/' })
  const { stderr } = await running.ended
  assert.match(stderr, /WS_ADDR does nothing here: this command brings its own\./)
})
