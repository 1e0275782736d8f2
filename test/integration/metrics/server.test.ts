import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { test } from 'node:test'
import { Registry } from 'prom-client'
import { FanfareError } from '../../../src/errors.ts'
import { startMetricsServer } from '../../../src/metrics/server.ts'

const options = { host: '127.0.0.1', port: 0, registry: new Registry(), isReady: () => false }

test('port 0 takes a free port and says which', async (t) => {
  const server = await startMetricsServer(options)
  t.after(() => server.close())
  assert.ok(server.port > 0)
  assert.equal(server.url, `http://127.0.0.1:${server.port}`)
  assert.equal((await fetch(`${server.url}/healthz`)).status, 200)
})

test('/readyz is 503 until all clients are ready, then 200', async (t) => {
  let isReady = false
  const server = await startMetricsServer({ ...options, isReady: () => isReady })
  t.after(() => server.close())
  assert.equal((await fetch(`${server.url}/readyz`)).status, 503)
  isReady = true
  assert.equal((await fetch(`${server.url}/readyz`)).status, 200)
})

test('the port shows and changes nothing: GET and HEAD only, unknown paths are named', async (t) => {
  const server = await startMetricsServer(options)
  t.after(() => server.close())
  for (const method of ['POST', 'PUT', 'DELETE']) {
    const response = await fetch(`${server.url}/metrics`, { method })
    assert.equal(response.status, 405)
    assert.equal(response.headers.get('allow'), 'GET, HEAD')
  }
  const head = await fetch(`${server.url}/metrics`, { method: 'HEAD' })
  assert.deepEqual([head.status, await head.text()], [200, ''])
  const missing = await fetch(`${server.url}/nothing?x=1`)
  assert.equal(missing.status, 404)
  assert.match(await missing.text(), /\/healthz \/metrics \/readyz/)
  assert.equal((await fetch(`${server.url}/constructor`)).status, 404)
})

test('a taken port is refused with the address and the remedy', async (t) => {
  const holder = createServer().listen(0, '127.0.0.1')
  t.after(() => holder.close())
  await new Promise((resolve) => holder.once('listening', resolve))
  const { port } = holder.address() as AddressInfo
  await assert.rejects(startMetricsServer({ ...options, port }), (error) => {
    assert.ok(error instanceof FanfareError && error.code === 'metrics-port-taken')
    assert.match(error.message, new RegExp(`127\\.0\\.0\\.1:${port} is taken.*METRICS_PORT`))
    return true
  })
})

test('an address that is not of this machine is refused', async () => {
  await assert.rejects(startMetricsServer({ ...options, host: '192.0.2.1' }), (error) => {
    assert.ok(error instanceof FanfareError && error.code === 'metrics-port-taken')
    assert.match(error.message, /METRICS_HOST/)
    return true
  })
})

test('a page that fails answers 500 and the server goes on', async (t) => {
  const pages = {
    '/broken': () => {
      throw new Error('out of order')
    },
  }
  const server = await startMetricsServer({ ...options, pages })
  t.after(() => server.close())
  assert.equal((await fetch(`${server.url}/broken`)).status, 500)
  assert.equal((await fetch(`${server.url}/healthz`)).status, 200)
})

test('closing ends responses that are still open, and may be asked twice', async () => {
  const server = await startMetricsServer({ ...options, pages: { '/endless': (_request, response) => void response.write('on and on') } })
  const response = await fetch(`${server.url}/endless`)
  await Promise.all([server.close(), server.close()])
  await assert.rejects(response.text())
})
