import assert from 'node:assert/strict'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { createServer } from 'node:net'
import { test } from 'node:test'
import { startFanfare } from '../fixtures/fanfare.ts'

async function freePort(): Promise<number> {
  const holder = createServer().listen(0, '127.0.0.1')
  await once(holder, 'listening')
  const { port } = holder.address() as AddressInfo
  holder.close()
  await once(holder, 'close')
  return port
}

test('while a run goes on its port shows the live page, its events and the metrics, and nothing after it', async () => {
  const port = await freePort()
  const url = `http://127.0.0.1:${port}`
  const settings = { WS_POOL_SIZE: '20', MSG_COUNT: '100', MSG_DELAY: '20', METRICS_PORT: String(port) }
  const { said, ended } = startFanfare(['demo'], settings)
  await said(/live page at/)

  const page = await (await fetch(`${url}/`)).text()
  assert.match(page, /<title>fanfare [0-9a-z]{8}: live<\/title>/)
  assert.match(page, /uPlot/)
  const events = (await fetch(`${url}/events`)).body!.pipeThrough(new TextDecoderStream())
  let seen = ''
  for await (const text of events) seen += text
  // The stream ends with the run; its last event tells the outcome.
  const last = JSON.parse(seen.trimEnd().split('\n\n').at(-1)!.slice('data: '.length)) as {
    outcome: string
    rows: { label: string; text: string }[]
  }
  const { exitCode, report, stderr } = await ended
  assert.equal(exitCode, 0, stderr)
  assert.equal(last.outcome, 'pass')
  assert.match(last.rows.find(({ label }) => label === 'deliveries')!.text, /^2,000,/)
  assert.equal(report?.deliveries.delivered, 2_000)
  await assert.rejects(fetch(`${url}/metrics`))
})
