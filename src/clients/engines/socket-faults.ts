/**
 * What an error of the operating system, of TLS or of HTTP means for a connection, by its code and the stage the connection
 * was in. Pure; it knows no sockets.
 */
import type { CountedCode } from '../../errors.ts'

/** How far a connection has come. `securing`: TCP stands, TLS does not. `upgrading`: the handshake is not answered yet. */
export type ConnectionStage = 'connecting' | 'securing' | 'upgrading' | 'open'

/** What one error code means at any stage. */
const MEANING: Readonly<Record<string, CountedCode>> = {
  ENOTFOUND: 'dns',
  EAI_AGAIN: 'dns',
  EAI_FAIL: 'dns',
  EAI_NODATA: 'dns',
  EAI_NONAME: 'dns',
  ECONNREFUSED: 'refused',
  EHOSTUNREACH: 'unreachable',
  ENETUNREACH: 'unreachable',
  ENETDOWN: 'unreachable',
  EHOSTDOWN: 'unreachable',
  EMFILE: 'no-descriptors',
  ENFILE: 'no-descriptors',
  EADDRNOTAVAIL: 'no-ports',
  EADDRINUSE: 'no-ports',
}
/** The peer is gone; what that means depends on the stage. */
const GONE: readonly string[] = ['ECONNRESET', 'EPIPE', 'ECONNABORTED']
const TLS_FAULT = /^(ERR_TLS_|ERR_SSL_|CERT_|CRL_|UNABLE_TO_|SELF_SIGNED_|DEPTH_ZERO_|HOSTNAME_MISMATCH|INVALID_CA|EPROTO$)/
/** llhttp's codes: the answer to the handshake is not HTTP. */
const HTTP_FAULT = /^HPE_/
/** Texts go to logs and reports; a target must not fill them. */
const TEXT_LIMIT = 200

/** The code under which an error counts. `errorCode` is the error's own `code`, as Node gives it. */
export function faultOf(errorCode: string | undefined, stage: ConnectionStage): CountedCode {
  if (errorCode === undefined) return 'socket-error'
  const meaning = MEANING[errorCode]
  if (meaning !== undefined) return meaning
  if (TLS_FAULT.test(errorCode)) return 'tls'
  if (HTTP_FAULT.test(errorCode)) return 'bad-upgrade'
  if (errorCode === 'ETIMEDOUT' && stage === 'connecting') return 'connect-timeout'
  return GONE.includes(errorCode) ? goneAt(stage) : 'socket-error'
}

/** What it means that the peer ended the TCP connection by a reset. */
function goneAt(stage: ConnectionStage): CountedCode {
  if (stage === 'open') return 'reset-by-target'
  return stage === 'securing' ? 'tls' : 'reset-before-upgrade'
}

/** One line of bounded length: control characters become spaces. */
export function boundedText(text: string): string {
  const line = text.replace(/[\p{Cc}\p{Cf}\p{Cs}]+/gu, ' ').trim()
  return line.length <= TEXT_LIMIT ? line : `${line.slice(0, TEXT_LIMIT)}…`
}

/** What an error says, on one line. Of OpenSSL's only the reason: the rest is an address in memory and a line of its source. */
export function errorText(error: Error): string {
  return boundedText('reason' in error && typeof error.reason === 'string' ? error.reason : error.message)
}

/** The `code` of anything thrown or emitted, if it has one. */
export function errorCodeOf(error: unknown): string | undefined {
  const code = typeof error === 'object' && error !== null && 'code' in error ? error.code : undefined
  return typeof code === 'string' ? code : undefined
}
