import assert from 'node:assert/strict'
import { createServer, type Server, type Socket } from 'node:net'
import { test } from 'node:test'
import { classifyGreeting, greet } from '../../../src/broker/amqp-greeting.ts'

const rows: [string, Buffer, ReturnType<typeof classifyGreeting>][] = [
  ['connection.start', Buffer.from([1, 0, 0, 0, 0, 1, 0xe8, 0, 10, 0, 10]), { kind: 'amqp' }],
  ['the header in answer to another version', Buffer.from('AMQP\x00\x00\x09\x01', 'latin1'), { kind: 'amqp' }],
  ['AMQP 1.0', Buffer.from('AMQP\x00\x01\x00\x00', 'latin1'), { kind: 'other-amqp' }],
  ['HTTP', Buffer.from('HTTP/1.1 400 Bad Request\r\n'), { kind: 'http' }],
  ['an old HTTP server', Buffer.from('<html>'), { kind: 'http' }],
  ['a TLS alert', Buffer.from([0x15, 3, 1, 0, 2, 2, 70]), { kind: 'tls' }],
  ['SSH', Buffer.from('SSH-2.0-OpenSSH_9.2p1\r\nmore'), { kind: 'text', shown: 'SSH-2.0-OpenSSH_9.2p1' }],
  ['bytes of no known protocol', Buffer.from([0xff, 0xfe, 0]), { kind: 'bytes' }],
]

for (const [title, bytes, expected] of rows) {
  test(`the first bytes tell the server: ${title}`, () => assert.deepEqual(classifyGreeting(bytes), expected))
}

async function greeted(behaviour: (socket: Socket) => void): Promise<unknown> {
  const server: Server = createServer(behaviour).listen(0, '127.0.0.1')
  await new Promise((resolve) => server.once('listening', resolve))
  const { port } = server.address() as { port: number }
  try {
    return await greet({ host: '127.0.0.1', port, isTls: false, timeoutMs: 200 })
  } finally {
    server.close()
  }
}

test('a port that closes without a word is told from one that stays silent', async () => {
  assert.deepEqual(await greeted((socket) => socket.destroy()), { kind: 'closed' })
  assert.deepEqual(await greeted((socket) => socket.on('error', () => undefined)), { kind: 'silent' })
})

test('a word shorter than a protocol header is still heard', async () => {
  assert.deepEqual(await greeted((socket) => socket.end('+OK')), { kind: 'text', shown: '+OK' })
})

test('nothing behind a port is told as such', async () => {
  assert.deepEqual(await greet({ host: '127.0.0.1', port: 1, isTls: false, timeoutMs: 200 }), { kind: 'none' })
})
