import assert from 'node:assert/strict'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createServer as createHttpsServer } from 'node:https'
import { type AddressInfo, createServer as createTcpServer, type Server, type Socket } from 'node:net'
import { after, before, describe, it } from 'node:test'
import { fileURLToPath } from 'node:url'
import { WebSocketServer } from 'ws'
import type { ConnectionEnd, TlsMaterial } from '../../../../src/clients/engine.ts'
import { readTlsMaterial } from '../../../../src/clients/engines/tls-material.ts'
import { WsEngine } from '../../../../src/clients/engines/ws-engine.ts'
import { RecordingListener } from '../../../doubles/recording-listener.ts'

const fixture = (name: string): string => fileURLToPath(new URL(`../../../fixtures/tls/${name}`, import.meta.url))
const noFiles = { tlsCa: undefined, tlsCert: undefined, tlsKey: undefined, tlsInsecure: false }

function dial(url: string, tls: TlsMaterial): { listener: RecordingListener; engine: WsEngine } {
  const listener = new RecordingListener()
  const engine = new WsEngine(listener, { nowUs: () => 0, maxFrameBytes: 1_000, tls, compression: false })
  const handshake = { url: new URL(url), requestTarget: '/', headers: {}, subprotocols: [] }
  engine.dial({ slot: 0, handshake, remoteAddress: '127.0.0.1', localAddress: undefined, localPort: undefined })
  return { listener, engine }
}

const endOf = (url: string, tls: TlsMaterial): Promise<ConnectionEnd> => dial(url, tls).listener.end(0)

describe('TLS', () => {
  const server = createHttpsServer({ cert: readFileSync(fixture('cert.pem')), key: readFileSync(fixture('key.pem')) })
  let port = 0

  before(async () => {
    const target = new WebSocketServer({ server })
    target.on('connection', (socket) => socket.close(1001))
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    port = (server.address() as AddressInfo).port
  })
  after(() => server.close())

  it('accepts a certificate signed by TLS_CA for the name of the target', async () => {
    const end = await endOf(`wss://localhost:${port}/`, readTlsMaterial({ ...noFiles, tlsCa: fixture('cert.pem') }))
    assert.equal(end.code, 'closed-by-target')
  })

  it('accepts it for an address too', async () => {
    const end = await endOf(`wss://127.0.0.1:${port}/`, readTlsMaterial({ ...noFiles, tlsCa: fixture('cert.pem') }))
    assert.equal(end.code, 'closed-by-target')
  })

  it('books a certificate it does not know, or for another name, as tls', async () => {
    assert.equal((await endOf(`wss://localhost:${port}/`, readTlsMaterial(noFiles))).code, 'tls')
    const ca = readTlsMaterial({ ...noFiles, tlsCa: fixture('cert.pem') })
    assert.equal((await endOf(`wss://another.example:${port}/`, ca)).code, 'tls')
  })

  it('accepts any certificate with TLS_INSECURE', async () => {
    const end = await endOf(`wss://another.example:${port}/`, readTlsMaterial({ ...noFiles, tlsInsecure: true }))
    assert.equal(end.code, 'closed-by-target')
  })

  it('refuses a file that cannot be read, by the name of the setting', () => {
    assert.throws(() => readTlsMaterial({ ...noFiles, tlsKey: '/nowhere/key.pem' }), {
      code: 'settings-invalid',
      message: /TLS_KEY.*ENOENT/,
    })
  })
})

describe('TLS spoken to a plain port', () => {
  const plain = async (onConnection: (socket: Socket) => void): Promise<Server> => {
    const server = createTcpServer((socket) => {
      socket.on('error', () => undefined)
      onConnection(socket)
    }).listen(0, '127.0.0.1')
    await once(server, 'listening')
    return server
  }

  // what the plain port does
  const rows: [what: string, onConnection: (socket: Socket) => void][] = [
    ['answers in HTTP', (socket) => socket.end('HTTP/1.1 400 Bad Request\r\n\r\n')],
    ['closes', (socket) => socket.end()],
    ['resets', (socket) => socket.once('data', () => socket.resetAndDestroy())],
  ]
  for (const [what, onConnection] of rows) {
    it(`is booked as tls when the port ${what}`, async () => {
      const server = await plain(onConnection)
      const end = await endOf(`wss://localhost:${(server.address() as AddressInfo).port}/`, readTlsMaterial(noFiles))
      assert.equal(end.code, 'tls')
      server.close()
    })
  }
})
