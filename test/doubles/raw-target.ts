/** A target made by hand on a real socket: each test says byte by byte what it answers. */
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net'

export interface RawTarget {
  readonly port: number
  readonly url: string
  /** Sockets accepted so far, open or not. */
  readonly sockets: readonly Socket[]
  close(): Promise<void>
}

/** Listens on a free loopback port; `onHead` gets each request head as soon as it is complete. */
export async function startRawTarget(
  onHead: (socket: Socket, head: string) => unknown,
  onConnection?: (socket: Socket) => void,
): Promise<RawTarget> {
  const sockets: Socket[] = []
  const server = createServer((socket) => {
    sockets.push(socket)
    socket.on('error', () => undefined)
    onConnection?.(socket)
    let head = ''
    const collect = (chunk: Buffer) => {
      head += chunk.toString('latin1')
      if (!head.includes('\r\n\r\n')) return
      socket.off('data', collect)
      onHead(socket, head)
    }
    socket.on('data', collect)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return { port, url: `ws://127.0.0.1:${port}/`, sockets, close: () => closeServer(server, sockets) }
}

async function closeServer(server: Server, sockets: readonly Socket[]): Promise<void> {
  for (const socket of sockets) socket.destroy()
  server.close()
  await once(server, 'close')
}

/** The answer a target must give to `head`. */
export function upgradeAnswer(head: string, extraHeaders: readonly string[] = []): string {
  const key = /^sec-websocket-key: *(.*)\r$/im.exec(head)?.[1] ?? ''
  const accept = createHash('sha1').update(`${key}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`).digest('base64')
  const lines = ['HTTP/1.1 101 Switching Protocols', 'Upgrade: websocket', 'Connection: Upgrade', `Sec-WebSocket-Accept: ${accept}`]
  return `${[...lines, ...extraHeaders].join('\r\n')}\r\n\r\n`
}

export interface FrameShape {
  readonly fin?: boolean
  /** The three reserved bits, 0 to 7. */
  readonly reserved?: number
  readonly masked?: boolean
  /** Writes the length in more bytes than it needs. */
  readonly lengthBytes?: 1 | 2 | 8
}

export const TEXT = 1
export const BINARY = 2
export const CONTINUATION = 0
export const CLOSE = 8
export const PING = 9
export const PONG = 10

/** One frame as a server sends it, faults included on request. */
export function frame(opcode: number, payload: string | Uint8Array = '', shape: FrameShape = {}): Buffer {
  const body = Buffer.from(payload as Uint8Array)
  const lengthBytes = shape.lengthBytes ?? (body.length < 126 ? 1 : body.length < 65_536 ? 2 : 8)
  const head = Buffer.alloc(lengthBytes === 1 ? 2 : 2 + lengthBytes)
  head[0] = ((shape.fin ?? true) ? 0x80 : 0) | ((shape.reserved ?? 0) << 4) | opcode
  head[1] = (shape.masked ? 0x80 : 0) | (lengthBytes === 1 ? body.length : lengthBytes === 2 ? 126 : 127)
  if (lengthBytes === 2) head.writeUInt16BE(body.length, 2)
  if (lengthBytes === 8) head.writeBigUInt64BE(BigInt(body.length), 2)
  return Buffer.concat([head, ...(shape.masked ? [Buffer.alloc(4)] : []), body])
}

export function closeFrame(code: number, reason: string | Uint8Array = ''): Buffer {
  const body = Buffer.alloc(2)
  body.writeUInt16BE(code)
  return frame(CLOSE, Buffer.concat([body, Buffer.from(reason as Uint8Array)]))
}

export interface ClientFrame {
  readonly opcode: number
  readonly isMasked: boolean
  readonly payload: Buffer
}

/** Whole frames of a client (short lengths only), unmasked. */
export function readClientFrames(bytes: Buffer): ClientFrame[] {
  const frames: ClientFrame[] = []
  for (let at = 0; at + 2 <= bytes.length; ) {
    const isMasked = (bytes[at + 1]! & 0x80) !== 0
    const length = bytes[at + 1]! & 0x7f
    const bodyAt = at + 2 + (isMasked ? 4 : 0)
    if (bodyAt + length > bytes.length) break
    const mask = bytes.subarray(at + 2, bodyAt)
    const payload = Buffer.from(bytes.subarray(bodyAt, bodyAt + length).map((byte, index) => byte ^ (isMasked ? mask[index % 4]! : 0)))
    frames.push({ opcode: bytes[at]! & 0x0f, isMasked, payload })
    at = bodyAt + length
  }
  return frames
}
