/** A plain broadcaster in Node, for benchmarks on machines without gcc: see broadcaster.ts. One frame block per batch, one write per client. */
import { createHash } from 'node:crypto'
import { createServer, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { writeToken } from '../../src/probe/codec.ts'
import { RUN_ID, STREAM } from './broadcaster.ts'

const [port, clients, probes, gapUs, batch] = process.argv.slice(2).map(Number) as [number, number, number, number, number]
const SETTLE_MS = 1_500
const LINGER_MS = 3_000
const sockets: Socket[] = []

const server = createServer({ noDelay: true }, (socket) => {
  socket.on('error', () => undefined)
  socket.once('data', (head) => {
    const key = /sec-websocket-key: *(\S+)/i.exec(head.toString('latin1'))?.[1] ?? ''
    const accept = createHash('sha1').update(`${key}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`).digest('base64')
    socket.write(`HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: ${accept}\r\n\r\n`)
    socket.write(textFrame(JSON.stringify({ success: { message: 'subscribed', streams: [STREAM] } })))
    sockets.push(socket)
    if (sockets.length === clients) void broadcast()
  })
})
server.listen({ port, host: '127.0.0.1', backlog: 4_096 })

async function broadcast(): Promise<void> {
  await sleep(SETTLE_MS)
  const startMs = performance.now()
  for (let sequence = 0; sequence < probes; sequence += batch) {
    const dueMs = startMs + (sequence * gapUs) / 1_000
    while (performance.now() < dueMs) await sleep(Math.max(0, Math.floor(dueMs - performance.now() - 1)))
    const block = Buffer.concat(Array.from({ length: batch }, (_, index) => probeFrame(sequence + index)))
    for (const socket of sockets) socket.write(block)
  }
  await sleep(LINGER_MS)
  process.exit(0)
}

function probeFrame(sequence: number): Buffer {
  const nowUs = Math.round((performance.timeOrigin + performance.now()) * 1_000)
  const probe = writeToken({ run: RUN_ID, stream: 0, sequence, intendedUs: nowUs, sentUs: nowUs })
  return textFrame(JSON.stringify({ [STREAM]: { cmd: 'Test', probe, time: Math.floor(nowUs / 1_000) } }))
}

function textFrame(text: string): Buffer {
  const body = Buffer.from(text)
  const head = body.length < 126 ? Buffer.from([0x81, body.length]) : Buffer.from([0x81, 126, body.length >> 8, body.length & 255])
  return Buffer.concat([head, body])
}
