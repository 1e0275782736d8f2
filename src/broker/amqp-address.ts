/**
 * The broker's address: an AMQP URL taken apart once, and the forms of it that people may see. It knows nothing of sockets;
 * the password leaves this file only in the field that is handed to the AMQP client.
 */
import { FanfareError } from '../errors.ts'

/** Detects a dead peer within three of these; RabbitMQ proposes 60 s, which is longer than many runs. */
const DEFAULT_HEARTBEAT_SECONDS = 10
const MAX_HEARTBEAT_SECONDS = 3_600
const PLAIN_PORT = 5_672
const TLS_PORT = 5_671

export interface AmqpAddress {
  readonly isTls: boolean
  /** Name or IP address, an IPv6 one without brackets. */
  readonly host: string
  readonly port: number
  /** Decoded. `/` when the URL has no path or an empty one. */
  readonly vhost: string
  readonly username: string
  readonly password: string
  /** From `?heartbeat=`; 10 when not given, 0 switches heartbeats off. */
  readonly heartbeatSeconds: number
  /** Scheme, host and port: what errors and logs print. */
  readonly shown: string
}

/** Takes an AMQP URL apart. Throws `settings-invalid` for what is not one, and for query parameters that would be ignored. */
export function parseAmqpAddress(url: string): AmqpAddress {
  const parts = URL.canParse(url) ? new URL(url) : undefined
  if (parts === undefined || (parts.protocol !== 'amqp:' && parts.protocol !== 'amqps:')) {
    throw invalid(url, 'is not an amqp:// or amqps:// URL')
  }
  const isTls = parts.protocol === 'amqps:'
  const host = (parts.hostname || 'localhost').replace(/^\[|\]$/g, '')
  const port = Number(parts.port) || (isTls ? TLS_PORT : PLAIN_PORT)
  const hasLogin = parts.username !== '' || parts.password !== ''
  return {
    isTls,
    host,
    port,
    vhost: decoded(parts.pathname.slice(1), url) || '/',
    username: hasLogin ? decoded(parts.username, url) : 'guest',
    password: hasLogin ? decoded(parts.password, url) : 'guest',
    heartbeatSeconds: heartbeatOf(parts.searchParams, url),
    shown: `${parts.protocol}//${host.includes(':') ? `[${host}]` : host}:${port}`,
  }
}

/** The URL without its password, also when it cannot be parsed. User name, host, port and virtual host stay. */
export function redactAmqpUrl(url: string): string {
  if (!URL.canParse(url)) return url.replace(/\/\/.*@/s, '//***@').replace(/\?.*$/s, '?***')
  const parts = new URL(url)
  if (parts.password !== '') parts.password = '***'
  for (const name of [...parts.searchParams.keys()]) {
    if (name !== 'heartbeat') parts.searchParams.set(name, '***')
  }
  return parts.href
}

function heartbeatOf(query: URLSearchParams, url: string): number {
  for (const name of query.keys()) {
    if (name !== 'heartbeat') throw invalid(url, `has the unknown query parameter \`${name}\`; only \`heartbeat\` (seconds) is known`)
  }
  const text = query.get('heartbeat')
  if (text === null) return DEFAULT_HEARTBEAT_SECONDS
  const seconds = Number(text)
  if (!/^\d+$/.test(text) || seconds > MAX_HEARTBEAT_SECONDS) {
    throw invalid(url, `needs \`heartbeat\` to be 0 to ${MAX_HEARTBEAT_SECONDS} seconds, got \`${text}\``)
  }
  return seconds
}

function decoded(text: string, url: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    throw invalid(url, 'has a % that starts no percent-encoded character')
  }
}

const invalid = (url: string, complaint: string): FanfareError =>
  new FanfareError('settings-invalid', `The broker address \`${redactAmqpUrl(url)}\` ${complaint}.`)
