/** Something that stands in front of a port: TLS, or another address. It passes bytes on and knows no protocol. */
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net'
import { createServer as createTlsServer } from 'node:tls'
import { fileURLToPath } from 'node:url'

const fixture = (name: string): string => fileURLToPath(new URL(`../fixtures/tls/${name}`, import.meta.url))

/** The authority that has signed the certificate of `tlsFront`, for localhost and 127.0.0.1. */
export const CERTIFICATE_FILE = fixture('cert.pem')

export interface Front {
  readonly port: number
  close(): void
}

export const tlsFront = (port: number): Promise<Front> =>
  listen(
    createTlsServer({ cert: readFileSync(CERTIFICATE_FILE), key: readFileSync(fixture('key.pem')) }, passOnTo(port)).on(
      'tlsClientError',
      () => undefined,
    ),
    '127.0.0.1',
  )

export const ipv6Front = (port: number): Promise<Front> => listen(createServer(passOnTo(port)), '::1')

async function listen(server: Server, host: string): Promise<Front> {
  const sockets = new Set<Socket>()
  server.on('connection', (socket) => {
    sockets.add(socket)
    socket.on('error', () => undefined).on('close', () => sockets.delete(socket))
  })
  server.listen(0, host)
  await once(server, 'listening')
  return {
    port: (server.address() as AddressInfo).port,
    close: () => {
      server.close()
      for (const socket of sockets) socket.destroy()
    },
  }
}

const passOnTo =
  (port: number) =>
  (near: Socket): void => {
    const far = connect(port, '127.0.0.1')
    near.pipe(far).pipe(near)
    near.on('error', () => far.destroy()).on('close', () => far.destroy())
    far.on('error', () => near.destroy()).on('close', () => near.destroy())
  }
