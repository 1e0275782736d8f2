import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { it } from 'node:test'
import { promisify } from 'node:util'
import { PushTarget } from '../../../doubles/push-target.ts'

const run = promisify(execFile)

/** Dials more often than it may open files and prints how many dials ended under which code. Runs the built engine. */
const dialTooMany = (engine: 'fast' | 'ws', port: number): string => `
  const { FastEngine } = await import(${JSON.stringify(new URL('../../../../dist/clients/engines/fast-engine.js', import.meta.url).href)})
  const { WsEngine } = await import(${JSON.stringify(new URL('../../../../dist/clients/engines/ws-engine.js', import.meta.url).href)})
  const counts = { open: 0 }
  const listener = {
    onOpen: () => counts.open++,
    onMessage: () => undefined,
    onEnd: (slot, { code }) => { counts[code] = (counts[code] ?? 0) + 1 },
  }
  const options = { nowUs: () => 0, maxFrameBytes: 1000, tls: { rejectUnauthorized: true }, compression: false }
  const engine = new (${engine === 'fast' ? 'FastEngine' : 'WsEngine'})(listener, options)
  const handshake = { url: new URL('ws://127.0.0.1:${port}/'), requestTarget: '/', headers: {}, subprotocols: [] }
  for (let slot = 0; slot < 100; slot++) engine.dial({ slot, handshake, remoteAddress: '127.0.0.1' })
  while (counts.open + (counts['no-descriptors'] ?? 0) < 100) await new Promise((resolve) => setTimeout(resolve, 5))
  process.stdout.write(JSON.stringify(counts), () => process.exit())
`

for (const engine of ['fast', 'ws'] as const) {
  it(`a process of the ${engine} engine that runs out of descriptors counts the dials it could not make`, async () => {
    const target = await PushTarget.start()
    const script = dialTooMany(engine, target.port)
    const { stdout } = await run('sh', ['-c', 'ulimit -n 80 && exec "$0" --input-type=module --eval "$1"', process.execPath, script], {
      timeout: 20_000,
    })
    const counts = JSON.parse(stdout) as Record<string, number>
    assert.ok(counts.open! > 10 && counts.open! < 80, stdout)
    assert.equal(counts.open! + counts['no-descriptors']!, 100)
    await target.close()
  })
}
