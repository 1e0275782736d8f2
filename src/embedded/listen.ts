/** Listening as a promise, with a plain sentence when the address cannot be had. */
import type { AddressInfo, Server } from 'node:net'
import { describeError, FanfareError } from '../errors.ts'

/** The port that was bound; 0 asks for a free one. Rejects with `settings-invalid`. */
export function listen(server: Server, host: string, port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    // Also heard while listening: running out of descriptors refuses a client, it does not end the broker.
    server.on('error', (error) => {
      const sentence = `The embedded broker cannot listen on ${host}:${port}: ${describeError(error)}`
      reject(new FanfareError('settings-invalid', sentence, { cause: error }))
    })
    server.listen({ host, port }, () => resolve((server.address() as AddressInfo).port))
  })
}

/** A listening host as others may dial it: the address for all interfaces is none to connect to. */
export function urlHost(host: string): string {
  if (host === '0.0.0.0' || host === '::') return '127.0.0.1'
  return host.includes(':') ? `[${host}]` : host
}
