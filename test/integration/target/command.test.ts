/** `fanfare target` in processes of its own, as the program runs it (built first). */
import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { afterEach, describe, it } from 'node:test'
import { fileURLToPath } from 'node:url'
import type { TargetCommand } from '../../../src/target/command.ts'
import { probeBody } from '../../doubles/probe-bodies.ts'
import { RawClient } from '../../doubles/raw-client.ts'

const PROGRAM = fileURLToPath(new URL('../../fixtures/target-command.mjs', import.meta.url))
const defaults: TargetCommand = { host: '127.0.0.1', port: 0, metricsPort: 0, controlPort: 0, processes: 1 }

interface Addresses {
  ws: string[]
  metrics: string[]
  control: string[]
}

describe('the target as a command', () => {
  const children: ChildProcess[] = []
  afterEach(async () => {
    await Promise.all(children.splice(0).map(stop))
  })

  const start = (command: Partial<TargetCommand>): ChildProcess => {
    const child = spawn(process.execPath, [PROGRAM, JSON.stringify({ ...defaults, ...command })], { stdio: ['ignore', 'pipe', 'pipe'] })
    children.push(child)
    return child
  }

  it('prints one line that says where everything is, and ends when told', async () => {
    const child = start({ habits: '[{"kind":"drop","sequences":[1]}]' })
    const { ws, metrics, control } = await firstLine(child)
    const client = await RawClient.ready(Number(new URL(ws[0] ?? '').port), '/?stream=public.command')
    for (const sequence of [0, 1, 2]) await broadcast(control[0] ?? '', sequence)
    await client.hasProbe(2)
    assert.deepEqual(client.sequences(), [0, 2])
    assert.match(await (await fetch(metrics[0] ?? '')).text(), /^rango_hub_clients_count 1$/m)
    await stop(child)
    await client.closed()
    assert.equal(child.exitCode, 0)
  })

  it('starts a process for each of several consecutive ports, and each keeps a truth file of its own', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'fanfare-target-'))
    const port = await freePortPair()
    const child = start({ processes: 2, port, truthFile: join(folder, 'truth.ndjson') })
    const { ws, control } = await firstLine(child)
    assert.deepEqual(ws, [`ws://127.0.0.1:${port}/`, `ws://127.0.0.1:${port + 1}/`])
    const clients = await Promise.all([port, port + 1].map((each) => RawClient.ready(each, '/?stream=public.command')))
    await Promise.all(control.map((url, index) => broadcast(url, index)))
    await Promise.all(clients.map((client, index) => client.hasProbe(index)))
    await stop(child)
    assert.equal(child.exitCode, 0)
    for (const [index, name] of ['truth.ndjson', 'truth.ndjson.1'].entries()) {
      const lines = (await readFile(join(folder, name), 'utf8'))
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line))
      assert.deepEqual([lines[0].kind, lines[0].streams[0].written, lines.at(-1).kind], ['client', [[index, index]], 'end'])
    }
    await rm(folder, { recursive: true })
  })

  it('takes orders over the control port: habits, deeds, state and truth', async () => {
    const child = start({})
    const { ws, control } = await firstLine(child)
    const url = control[0] ?? ''
    const client = await RawClient.ready(Number(new URL(ws[0] ?? '').port), '/?stream=public.command')
    const habits = [{ kind: 'repeat', sequences: [0] }]
    assert.deepEqual(await send('PUT', `${url}habits`, habits), { status: 200, body: habits })
    await broadcast(url, 0)
    await client.frameCount(3)
    const refused = await send('PUT', `${url}habits`, [{ kind: 'repeat', copies: 0 }])
    assert.equal(refused.status, 400)
    assert.match(String((refused.body as { error: string }).error), /`copies` of habit 0 \(repeat\) to be a whole number from 1/)
    assert.deepEqual((await send('GET', `${url}habits`)).body, habits)
    assert.deepEqual((await send('GET', `${url}state`)).body, { pid: child.pid, clients: 1, consuming: false, broadcasts: 1 })
    assert.equal((await send('POST', `${url}deeds`, { kind: 'end', how: 'cut' })).status, 200)
    await client.closed()
    assert.equal((await send('GET', `${url}nothing`)).status, 404)
    const lines = (await (await fetch(`${url}truth`)).text())
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line))
    assert.deepEqual(
      lines.map(({ kind }) => kind),
      ['repeat', 'cut', 'client', 'end'],
    )
  })

  it('says in a sentence why it cannot start, several processes included', async () => {
    const { ws } = await firstLine(start({}))
    const taken = Number(new URL(ws[0] ?? '').port)
    for (const command of [{ port: taken }, { port: taken, processes: 2 }, { habits: '[{"kind":"sulk"}]' }, { habits: 'no json' }]) {
      const child = start(command)
      const said = await textOf(child)
      assert.equal(child.exitCode, 9)
      assert.match(said, /^settings-invalid (The reference target cannot listen on 127\.0\.0\.1:\d+|Expected )/)
    }
  })

  it('ends with a sentence when one of its processes dies', async () => {
    const child = start({ processes: 2 })
    const { control } = await firstLine(child)
    const said = textOf(child)
    const { pid } = (await send('GET', `${control[1]}state`)).body as { pid?: number }
    process.kill(pid ?? 0, 'SIGKILL')
    assert.match(await said, /^fault The target process .* ended by itself/)
  })
})

async function firstLine(child: ChildProcess): Promise<Addresses> {
  const ended = once(child, 'exit').then(([code]) => assert.fail(`ended with ${code} before it was ready`))
  ended.catch(() => {})
  const [line] = await Promise.race([once(createInterface({ input: child.stdout! }), 'line'), ended])
  return JSON.parse(line)
}

async function textOf(child: ChildProcess): Promise<string> {
  let text = ''
  child.stderr?.setEncoding('utf8').on('data', (chunk) => {
    text += chunk
  })
  await once(child, 'close')
  return text
}

async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const exited = once(child, 'exit')
  child.kill('SIGTERM')
  await exited
}

const broadcast = (control: string, sequence: number) =>
  fetch(`${control}broadcast?key=public.command`, { method: 'POST', body: probeBody(sequence) })

async function send(method: string, url: string, body?: unknown): Promise<{ status: number; body: unknown }> {
  const response = await fetch(url, { method, ...(body !== undefined && { body: JSON.stringify(body) }) })
  return { status: response.status, body: await response.json() }
}

/** A port whose successor is free as well. */
async function freePortPair(): Promise<number> {
  for (;;) {
    const first = createServer().listen(0, '127.0.0.1')
    await once(first, 'listening')
    const { port } = first.address() as { port: number }
    const second = createServer()
    const isFree = await new Promise<boolean>((resolve) => {
      second.once('error', () => resolve(false)).listen(port + 1, '127.0.0.1', () => resolve(true))
    })
    first.close()
    second.close()
    if (isFree) return port
  }
}
