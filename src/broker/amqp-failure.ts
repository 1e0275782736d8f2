/**
 * What went wrong with the broker, in one plain sentence with a stable code. The AMQP client gives system codes, OpenSSL codes or
 * only a text; what remains unclear is settled by looking at the port's first bytes. No sentence holds a password.
 */
import { describeError, type ErrorCode, FanfareError } from '../errors.ts'
import type { AmqpAddress } from './amqp-address.ts'
import { type Greeting, greet } from './amqp-greeting.ts'

const ACCESS_REFUSED = 403
const NOT_FOUND = 404
const PRECONDITION_FAILED = 406

const GREETING_TIMEOUT_MS = 1_000
const LOOPBACK_HOST = /^(localhost|127\..*|::1)$/

/** Codes that waiting can cure: a broker that still boots, an exchange that its owner has not declared yet. */
export const isWorthWaiting = (error: FanfareError): boolean => error.code === 'broker-unreachable' || error.code === 'exchange-missing'

/** Why no connection could be opened. Dials the port once or twice more when the error alone does not tell. */
export async function explainConnectFailure(error: unknown, address: AmqpAddress): Promise<FanfareError> {
  const known = failureFromError(error, address)
  if (known !== undefined) return known
  const ask = { host: address.host, port: address.port, timeoutMs: GREETING_TIMEOUT_MS }
  const asAsked = await greet({ ...ask, isTls: address.isTls })
  const otherwise = await greet({ ...ask, isTls: !address.isTls })
  return failureFromGreetings(asAsked, otherwise, error, address)
}

/** Why the exchange could not be checked or declared. */
export function explainExchangeFailure(error: unknown, exchange: string, address: AmqpAddress): FanfareError {
  if (codeOf(error) !== PRECONDITION_FAILED) return explainLoss(error, exchange, address)
  return failure(
    'exchange-mismatch',
    `The exchange \`${exchange}\` at ${address.shown} is declared otherwise (AMQP_DECLARE=passive uses it as it is): ${describeError(error)}.`,
    error,
  )
}

/** Why a channel or a connection that was open is gone. */
export function explainLoss(error: unknown, exchange: string, address: AmqpAddress): FanfareError {
  const text = describeError(error)
  switch (codeOf(error)) {
    case NOT_FOUND:
      return failure(
        'exchange-missing',
        `The exchange \`${exchange}\` does not exist at ${address.shown} (virtual host \`${address.vhost}\`): start the target that declares it, or let fanfare declare it with AMQP_DECLARE=topic.`,
        error,
      )
    case ACCESS_REFUSED:
      return failure('broker-access-refused', `${address.shown} refused \`${address.username}\` a permission: ${text}.`, error)
    default:
      return failure('broker-unreachable', `The connection to ${address.shown} was lost: ${text}.`, error)
  }
}

/** What the client's error says by itself; undefined when only the port can tell. Pure. */
export function failureFromError(error: unknown, address: AmqpAddress): FanfareError | undefined {
  const { shown, host, username, vhost } = address
  const text = describeError(error)
  const code = String(codeOf(error))
  if (code === 'ECONNREFUSED') {
    return failure(
      'broker-unreachable',
      `Nothing listens at ${shown} (connection refused): is the broker running, and the port right?`,
      error,
    )
  }
  if (code === 'ENOTFOUND' || code === 'EAI_AGAIN') {
    return failure('broker-unreachable', `The broker's host name \`${host}\` could not be resolved (${code}).`, error)
  }
  if (['EHOSTUNREACH', 'ENETUNREACH', 'ETIMEDOUT', 'EADDRNOTAVAIL'].includes(code)) {
    return failure('broker-unreachable', `No connection to ${shown} (${code}): is the host up, and no firewall in between?`, error)
  }
  // amqplib gives these two without a code.
  if (text.includes('ACCESS-REFUSED')) {
    const guestRule = username === 'guest' && !LOOPBACK_HOST.test(host) ? ' RabbitMQ lets `guest` in from its own host only.' : ''
    return failure('broker-access-refused', `${shown} refused the login of \`${username}\`: wrong name or password.${guestRule}`, error)
  }
  if (text.startsWith('Expected ConnectionOpenOk; got <ConnectionClose')) {
    const slash = /.\/$/.test(vhost)
      ? ' The slash at the end of the URL is part of that name; `/` alone is written as no path, or `/%2f`.'
      : ''
    return failure(
      'broker-vhost-missing',
      `The virtual host \`${vhost}\` at ${shown} does not exist or \`${username}\` may not enter it.${slash}`,
      error,
    )
  }
  if (text.startsWith('Handshake terminated by server'))
    return failure('broker-unreachable', `${shown} ended the handshake: ${text}.`, error)
  if (/_ALERT_.*(CERT|UNKNOWN_CA)/.test(code)) {
    return failure('broker-tls', `${shown} did not accept our certificate (${code}): give one with TLS_CERT and TLS_KEY.`, error)
  }
  if (isCertificateCode(code)) {
    return failure(
      'broker-tls',
      `The certificate of ${shown} was not accepted (${code}): name its authority with TLS_CA, or accept any with TLS_INSECURE=true.`,
      error,
    )
  }
  return undefined
}

/** What the port's first bytes say, spoken to as AMQP_ADDR asks and the other way round. Pure. */
export function failureFromGreetings(asAsked: Greeting, otherwise: Greeting, error: unknown, address: AmqpAddress): FanfareError {
  const { shown, isTls } = address
  const text = describeError(error)
  const isTlsOnly = asAsked.kind === 'tls' || ['amqp', 'closed', 'silent'].includes(otherwise.kind)
  if (!isTls && !isServer(asAsked) && isTlsOnly) {
    return failure('broker-tls', `${shown} expects TLS: write amqps:// in AMQP_ADDR, or use the plain port (usually 5672).`, error)
  }
  if (isTls && !isServer(asAsked) && otherwise.kind === 'amqp') {
    return failure(
      'broker-tls',
      `${shown} speaks plain AMQP, not TLS: write amqp:// in AMQP_ADDR, or use the TLS port (usually 5671).`,
      error,
    )
  }
  const answer = !isServer(asAsked) && (isServer(otherwise) || asAsked.kind === 'none') ? otherwise : asAsked
  switch (answer.kind) {
    case 'http':
      return failure('broker-not-amqp', `${shown} is an HTTP server: RabbitMQ takes AMQP on 5672 (15672 is its management page).`, error)
    case 'other-amqp':
      return failure('broker-not-amqp', `${shown} speaks another version of AMQP than 0-9-1.`, error)
    case 'text':
      return failure('broker-not-amqp', `${shown} does not speak AMQP: it answers \`${answer.shown}\`.`, error)
    case 'bytes':
    case 'tls':
      return failure('broker-not-amqp', `${shown} does not speak AMQP 0-9-1.`, error)
    case 'silent':
      return failure('broker-unreachable', `${shown} accepts connections but says nothing: it hangs, or speaks another protocol.`, error)
    case 'closed':
      return failure('broker-unreachable', `${shown} closes connections without a word: it is still starting, or no AMQP broker.`, error)
    case 'amqp':
      if (isTls && String(codeOf(error)).startsWith('ERR_SSL')) return failure('broker-tls', `TLS with ${shown} failed: ${text}.`, error)
      return failure('broker-unreachable', `${shown} speaks AMQP, but no connection was opened: ${text}.`, error)
    case 'none':
      if (isTls) return failure('broker-tls', `TLS with ${shown} failed: ${text}.`, error)
      return failure('broker-unreachable', `No connection to ${shown}: ${text}.`, error)
  }
}

/** It said something: the transport was right. */
const isServer = (greeting: Greeting): boolean => ['amqp', 'other-amqp', 'http', 'text', 'bytes'].includes(greeting.kind)

/** Node's names for what can be wrong with a certificate (OpenSSL's X509_V_ERR_…, and the name check). */
const isCertificateCode = (code: string): boolean => /CERT|SELF_SIGNED|UNABLE_TO_VERIFY|UNABLE_TO_GET|CRL/.test(code)

/** amqplib puts AMQP reply codes (numbers) where Node puts its own (texts). */
const codeOf = (error: unknown): unknown => (error instanceof Error && 'code' in error ? error.code : undefined)

const failure = (code: ErrorCode, sentence: string, cause: unknown): FanfareError => new FanfareError(code, sentence, { cause })
