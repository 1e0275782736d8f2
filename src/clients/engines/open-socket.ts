/**
 * Opens the TCP or TLS connection of a dial. Both engines dial through here, so that source addresses, names and TLS mean
 * the same to both. It knows nothing of HTTP or WebSocket.
 */
import { connect as connectTcp, isIP, type Socket, type TcpNetConnectOpts } from 'node:net'
import { connect as connectTls, type TLSSocket } from 'node:tls'
import type { Dial, TlsMaterial } from '../engine.ts'

const DEFAULT_PORT = { 'ws:': 80, 'wss:': 443 } as const

export const isSecure = (url: URL): boolean => url.protocol === 'wss:'

/** The target's name without the brackets a URL puts around IPv6 addresses. */
export const hostOf = (url: URL): string => url.hostname.replace(/^\[|\]$/g, '')

export const portOf = (url: URL): number => (url.port === '' ? DEFAULT_PORT[isSecure(url) ? 'wss:' : 'ws:'] : Number(url.port))

/** Where a dial goes and where from. Who dials decides on one address, so Node must not try several. */
export function tcpOptions({ handshake, remoteAddress, localAddress, localPort }: Dial): TcpNetConnectOpts {
  return {
    host: remoteAddress ?? hostOf(handshake.url),
    port: portOf(handshake.url),
    noDelay: true,
    autoSelectFamily: false,
    ...(localAddress !== undefined && { localAddress }),
    ...(localPort !== undefined && { localPort }),
  }
}

/** May throw when the options make no sense to Node. The socket has no error listener yet. */
export function openSocket(dial: Dial, tls: TlsMaterial): Socket | TLSSocket {
  if (!isSecure(dial.handshake.url)) return connectTcp(tcpOptions(dial))
  const name = hostOf(dial.handshake.url)
  // An address is no server name (RFC 6066); the certificate is still checked against it.
  return connectTls({ ...tcpOptions(dial), ...tls, host: dial.remoteAddress ?? name, servername: isIP(name) ? '' : name })
}
