/**
 * The broker's address: an AMQP URL taken apart once. It knows nothing of sockets; the only form that people see is `shown`, and
 * the password leaves this file in no other field than its own.
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
    throw new FanfareError('settings-invalid', 'The broker address is not an amqp:// or amqps:// URL.')
  }
  const isTls = parts.protocol === 'amqps:'
  const host = (parts.hostname || 'localhost').replace(/^\[|\]$/g, '')
  const port = Number(parts.port) || (isTls ? TLS_PORT : PLAIN_PORT)
  const shown = `${parts.protocol}//${host.includes(':') ? `[${host}]` : host}:${port}`
  const hasLogin = parts.username !== '' || parts.password !== ''
  return {
    isTls,
    host,
    port,
    vhost: decoded(parts.pathname.slice(1), shown) || '/',
    username: hasLogin ? decoded(parts.username, shown) : 'guest',
    password: hasLogin ? decoded(parts.password, shown) : 'guest',
    heartbeatSeconds: heartbeatOf(parts.searchParams, shown),
    shown,
  }
}

function heartbeatOf(query: URLSearchParams, shown: string): number {
  const unknown = [...query.keys()].find((name) => name !== 'heartbeat')
  if (unknown !== undefined) {
    throw invalid(shown, `has the query parameter \`${unknown}\`, which is not known; \`heartbeat\` (seconds) is`)
  }
  const text = query.get('heartbeat')
  if (text === null) return DEFAULT_HEARTBEAT_SECONDS
  const seconds = Number(text)
  if (!/^\d+$/.test(text) || seconds > MAX_HEARTBEAT_SECONDS) {
    throw invalid(shown, `needs \`heartbeat\` to be 0 to ${MAX_HEARTBEAT_SECONDS} seconds, got \`${text}\``)
  }
  return seconds
}

function decoded(text: string, shown: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    throw invalid(shown, 'has a % that starts no percent-encoded character')
  }
}

const invalid = (shown: string, complaint: string): FanfareError =>
  new FanfareError('settings-invalid', `The broker address ${shown} ${complaint}.`)
