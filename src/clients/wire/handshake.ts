/**
 * The opening handshake of RFC 6455 §4, as a client: the request as bytes, and what the answer means. Pure: the key is given,
 * nothing is sent.
 */
import { createHash } from 'node:crypto'
import type { Handshake } from '../../protocols/protocol.ts'
import { boundedText } from '../engines/socket-faults.ts'

const GUID = '258EAFA5-E914-47DA-95CA-C5AB0DC85B11'
const HEAD_END = '\r\n\r\n'
/** Node's own limit for a head. */
const HEAD_LIMIT_BYTES = 16 * 1024
const STATUS_LINE = /^HTTP\/1\.[01] (\d{3})(?: .*)?$/
const HEADER_LINE = /^([!#$%&'*+.^_`|~0-9A-Za-z-]+):(.*)$/
/** The beginning of every answer; anything else is not HTTP, even before it is complete. */
const FIRST_BYTES = 'HTTP/1.'

/** The request. `key` is 16 random bytes in base64. Headers of the dialect may replace `Host`, nothing else of ours. */
export function handshakeRequest({ url, requestTarget, headers, subprotocols }: Handshake, key: string): string {
  const hasHost = Object.keys(headers).some((name) => name.toLowerCase() === 'host')
  const lines = [
    `GET ${requestTarget} HTTP/1.1`,
    ...(hasHost ? [] : [`Host: ${url.host}`]),
    'Connection: Upgrade',
    'Upgrade: websocket',
    'Sec-WebSocket-Version: 13',
    `Sec-WebSocket-Key: ${key}`,
    ...(subprotocols.length > 0 ? [`Sec-WebSocket-Protocol: ${subprotocols.join(',')}`] : []),
    ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`),
  ]
  return `${lines.join('\r\n')}${HEAD_END}`
}

export type HandshakeAnswer =
  | { readonly kind: 'incomplete' }
  /** The connection is open; what follows the first `headBytes` are frames. */
  | { readonly kind: 'accepted'; readonly subprotocol: string; readonly headBytes: number }
  | { readonly kind: 'http-status'; readonly httpStatus: number; readonly text: string }
  | { readonly kind: 'bad-upgrade'; readonly text: string }

/** What `bytes`, all that has come so far, say to a request with this key and these subprotocols. */
export function readHandshakeAnswer(bytes: Buffer, key: string, subprotocols: readonly string[]): HandshakeAnswer {
  const beginning = bytes.toString('latin1', 0, FIRST_BYTES.length)
  if (!FIRST_BYTES.startsWith(beginning)) return bad('the answer is not HTTP/1.1')
  const end = bytes.indexOf(HEAD_END)
  if (end < 0 && bytes.length <= HEAD_LIMIT_BYTES) return { kind: 'incomplete' }
  if (end < 0 || end > HEAD_LIMIT_BYTES) return bad(`the head of the answer is longer than ${HEAD_LIMIT_BYTES} bytes`)

  const [statusLine = '', ...headerLines] = bytes.toString('latin1', 0, end).split('\r\n')
  const status = STATUS_LINE.exec(statusLine)?.[1]
  const headers = readHeaders(headerLines)
  if (status === undefined || headers === undefined) return bad('the answer is not HTTP/1.1')
  if (status !== '101') return { kind: 'http-status', httpStatus: Number(status), text: boundedText(statusLine.replace(/^\S+/, 'http')) }
  const fault = upgradeFault(headers, key, subprotocols)
  if (fault !== undefined) return bad(fault)
  return { kind: 'accepted', subprotocol: headers.get('sec-websocket-protocol') ?? '', headBytes: end + HEAD_END.length }
}

/** By lower-case name; repeated headers are joined as Node joins them. Undefined when a line is no header. */
function readHeaders(lines: readonly string[]): Map<string, string> | undefined {
  const headers = new Map<string, string>()
  for (const line of lines) {
    const [, name, value] = HEADER_LINE.exec(line) ?? []
    if (name === undefined || value === undefined) return undefined
    const known = headers.get(name.toLowerCase())
    headers.set(name.toLowerCase(), known === undefined ? value.trim() : `${known}, ${value.trim()}`)
  }
  return headers
}

function upgradeFault(headers: ReadonlyMap<string, string>, key: string, subprotocols: readonly string[]): string | undefined {
  const connection = (headers.get('connection') ?? '').toLowerCase().split(/[\s,]+/)
  if (!connection.includes('upgrade')) return 'the answer has no `Connection: Upgrade`'
  if (headers.get('upgrade')?.toLowerCase() !== 'websocket') return 'the answer has no `Upgrade: websocket`'
  if (headers.get('sec-websocket-accept') !== acceptOf(key)) return 'the answer has a wrong `Sec-WebSocket-Accept`'
  if (headers.has('sec-websocket-extensions')) return 'the answer has an extension that was not asked for'
  return subprotocolFault(headers.get('sec-websocket-protocol'), subprotocols)
}

function subprotocolFault(chosen: string | undefined, offered: readonly string[]): string | undefined {
  if (chosen === undefined) return offered.length === 0 ? undefined : 'the answer has no subprotocol, although some were offered'
  return offered.includes(chosen) ? undefined : 'the answer has a subprotocol that was not offered'
}

/** What a target must answer to a key: proof that it read the request as a WebSocket handshake. */
const acceptOf = (key: string): string =>
  createHash('sha1')
    .update(key + GUID)
    .digest('base64')

const bad = (text: string): HandshakeAnswer => ({ kind: 'bad-upgrade', text })
