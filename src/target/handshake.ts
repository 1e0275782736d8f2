/**
 * The opening handshake (RFC 6455 §4.2): what a request is answered with. Pure; writes nothing.
 */
import { createHash } from 'node:crypto'
import type { IncomingHttpHeaders } from 'node:http'

const HANDSHAKE_GUID = '258EAFA5-E914-47DA-95CA-C5AB0DC85B11' // fixed by RFC 6455 §1.3
const STATUS_TEXT: Readonly<Record<number, string>> = {
  400: 'Bad Request',
  401: 'Unauthorized',
  403: 'Forbidden',
  404: 'Not Found',
  429: 'Too Many Requests',
  500: 'Internal Server Error',
  502: 'Bad Gateway',
  503: 'Service Unavailable',
}

export const acceptValue = (key: string): string => createHash('sha1').update(`${key}${HANDSHAKE_GUID}`).digest('base64')

export const switchingProtocols = (accept: string): string =>
  `HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: ${accept}\r\n\r\n`

/** An answer that ends the connection. */
export function httpAnswer(status: number): string {
  const text = STATUS_TEXT[status] ?? 'Refused'
  const version = status === 400 ? 'Sec-WebSocket-Version: 13\r\n' : ''
  return `HTTP/1.1 ${status} ${text}\r\nConnection: close\r\n${version}Content-Type: text/plain\r\nContent-Length: ${text.length}\r\n\r\n${text}`
}

/** The status a handshake is refused with, by rango's own rules; undefined when it is to be accepted. */
export function refusalStatus(path: string, headers: IncomingHttpHeaders): number | undefined {
  const key = headers['sec-websocket-key']
  const isWebSocket = headers.upgrade?.toLowerCase() === 'websocket' && headers['sec-websocket-version'] === '13'
  if (!isWebSocket || typeof key !== 'string' || Buffer.from(key, 'base64').length !== 16) return 400
  if (path === '/private' && bearerToken(headers) === undefined) return 401
  return undefined
}

/** The `uid` claim of the bearer token. The signature is not checked: this target admits whoever shows a token. */
export function uidOf(headers: IncomingHttpHeaders): string | undefined {
  const claims = bearerToken(headers)?.split('.')[1]
  if (claims === undefined) return undefined
  try {
    const { uid } = JSON.parse(Buffer.from(claims, 'base64url').toString()) as { uid?: unknown }
    return typeof uid === 'string' && uid !== '' ? uid : undefined
  } catch {
    return undefined
  }
}

const bearerToken = (headers: IncomingHttpHeaders): string | undefined => /^Bearer +(\S+)$/i.exec(headers.authorization ?? '')?.[1]
