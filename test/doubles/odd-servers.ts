/** Servers that are not what they should be: each answers whatever connects in one way of its own. */
import { once } from 'node:events'
import { type AddressInfo, createServer, type Socket } from 'node:net'

export interface OddServer {
  readonly port: number
  /** Connections so far. */
  readonly connections: number
  close(): void
}

/** Hands every connection to `answer`; errors of its sockets are nobody's business. */
export async function startOddServer(answer: (socket: Socket) => void): Promise<OddServer> {
  const sockets = new Set<Socket>()
  let connections = 0
  const server = createServer((socket) => {
    connections += 1
    sockets.add(socket)
    socket.on('error', () => undefined).on('close', () => sockets.delete(socket))
    answer(socket)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    port: (server.address() as AddressInfo).port,
    get connections() {
      return connections
    },
    close: () => {
      server.close()
      for (const socket of sockets) socket.destroy()
    },
  }
}

/** An answer once something was asked. */
export const says =
  (answer: string | Uint8Array) =>
  (socket: Socket): void => {
    socket.once('data', () => socket.write(answer))
  }

/** An HTTP server that knows no WebSocket. */
export const saysStatus = (status: string): ((socket: Socket) => void) =>
  says(`HTTP/1.1 ${status}\r\nLocation: ws://127.0.0.1:1/\r\nContent-Length: 2\r\n\r\nno`)

/** Begins a head and never ends it. */
export function drips(socket: Socket): void {
  socket.write('HTTP/1.1 101 Switching Protocols\r\n')
  const timer = setInterval(() => socket.write('X: y\r\n'), 50)
  socket.on('close', () => clearInterval(timer))
}

/** As many bytes as are taken. */
export function floods(socket: Socket): void {
  const bytes = Buffer.alloc(64 * 1024, 'A')
  const pour = (): void => {
    while (!socket.destroyed && socket.write(bytes));
  }
  socket.on('drain', pour)
  pour()
}
