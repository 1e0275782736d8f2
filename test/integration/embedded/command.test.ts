import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { createInterface } from 'node:readline'
import { test } from 'node:test'
import { connect } from 'amqplib'
import type { BrokerState } from '../../../src/embedded/state.ts'

const COMMAND = new URL('../../../dist/embedded/command.js', import.meta.url).href

/** Runs the command in a process of its own, until it is sent SIGTERM. */
function startCommand(options: Readonly<Record<string, unknown>>) {
  const script = `
    import { runBrokerCommand } from ${JSON.stringify(COMMAND)}
    const stop = new AbortController()
    process.on('SIGTERM', () => stop.abort())
    await runBrokerCommand(${JSON.stringify(options)}, stop.signal)
  `
  const child = spawn(process.execPath, ['--input-type=module', '--eval', script], { stdio: ['ignore', 'pipe', 'inherit'] })
  const exited = new Promise<number | null>((resolve) => child.once('exit', resolve))
  const line = new Promise<Record<string, string>>((resolve) => {
    createInterface({ input: child.stdout }).once('line', (text) => resolve(JSON.parse(text)))
  })
  return { child, exited, line }
}

test('the command says where it listens in one line, serves clients, and ends cleanly with clients still connected; a chosen password is not printed', async () => {
  const { child, exited, line } = startCommand({ host: '127.0.0.1', port: 0, user: 'ann', password: 'a b/c', controlPort: 0 })
  const { amqp, control } = await line
  assert.match(amqp!, /^amqp:\/\/ann@127\.0\.0\.1:\d+$/)
  const url = new URL(amqp!)
  url.password = 'a b/c'
  const connection = await connect(url.href)
  connection.on('error', () => undefined)
  const closed = new Promise((resolve) => connection.once('close', resolve))
  const state = (await (await fetch(`${control}/state`)).json()) as BrokerState
  assert.equal(state.connections.length, 1)
  child.kill('SIGTERM')
  await closed
  assert.equal(await exited, 0)
})
