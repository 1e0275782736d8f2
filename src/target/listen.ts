/**
 * Listening as a promise, with a plain sentence when the address cannot be had; and the small HTTP servers beside the WebSocket
 * port.
 */
import { createServer, type RequestListener, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { describeError, FanfareError } from '../errors.ts'

export interface ListenAddress {
  readonly host: string
  /** 0: a free one. */
  readonly port: number
  readonly backlog?: number
}

export async function listenOn(server: Server, address: ListenAddress): Promise<AddressInfo> {
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error) => {
      const sentence = `The reference target cannot listen on ${address.host}:${address.port}: ${describeError(error)}`
      reject(new FanfareError('settings-invalid', sentence, { cause: error }))
    })
    server.listen({ ...address }, resolve)
  })
  return server.address() as AddressInfo
}

export interface SidePort {
  readonly url: string
  close(): Promise<void>
}

export async function openSidePort(address: ListenAddress, path: string, listener: RequestListener): Promise<SidePort> {
  const server = createServer(listener)
  const { port } = await listenOn(server, address)
  return {
    url: `http://${urlHost(address.host)}:${port}${path}`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

/** A listening host as others may dial it: the address for all interfaces is none to connect to. */
export function urlHost(host: string): string {
  if (host === '0.0.0.0' || host === '::') return '127.0.0.1'
  return host.includes(':') ? `[${host}]` : host
}
