/**
 * What goes on the request line for one entry of WS_ADDR. Targets such as rango read the raw request line without
 * percent-decoding, so path and query are taken from the text as it was written, never from a URL object that rewrites
 * them. It knows nothing of streams or dialects.
 */
import { FanfareError } from '../errors.ts'

/** Everything after the authority and before a fragment. */
const AFTER_AUTHORITY = /^[a-z][a-z0-9+.-]*:\/\/[^/?#]*([^#]*)/i
/** What cannot stand on a request line at all. */
const NOT_ON_A_REQUEST_LINE = /[^\x21-\x7e]/gu

export interface TargetRequest {
  /** Where to connect; without login, query or fragment, so that it can be shown. */
  readonly url: URL
  /** Path and query as written; begins with a slash. */
  readonly requestTarget: string
  /** `Authorization` header for a login written into the URL. */
  readonly authorization: string | undefined
}

/** Takes one entry of WS_ADDR apart. Throws `settings-invalid` when it is not a ws:// or wss:// URL. */
export function parseTarget(target: string): TargetRequest {
  const url = parseUrl(target.trim())
  const authorization = basicAuthorization(url)
  const asWritten = AFTER_AUTHORITY.exec(target.trim())?.[1] ?? ''
  const rooted = asWritten.startsWith('/') ? asWritten : `/${asWritten}`
  url.username = ''
  url.password = ''
  url.search = ''
  url.hash = ''
  return { url, requestTarget: rooted.replace(NOT_ON_A_REQUEST_LINE, percentEncode), authorization }
}

/** Appends `piece` to the query of a request target, which keeps everything it already says. */
export function appendQuery(requestTarget: string, piece: string): string {
  if (!requestTarget.includes('?')) return `${requestTarget}?${piece}`
  return requestTarget.endsWith('?') || requestTarget.endsWith('&') ? requestTarget + piece : `${requestTarget}&${piece}`
}

function parseUrl(text: string): URL {
  try {
    const url = new URL(text)
    if (url.protocol === 'ws:' || url.protocol === 'wss:') return url
  } catch {
    // said below, for both kinds of mistake
  }
  throw new FanfareError('settings-invalid', 'Expected each entry of `WS_ADDR` to be a ws:// or wss:// URL')
}

function basicAuthorization(url: URL): string | undefined {
  if (url.username === '' && url.password === '') return undefined
  const login = `${percentDecode(url.username)}:${percentDecode(url.password)}`
  return `Basic ${Buffer.from(login).toString('base64')}`
}

/** A stray percent sign stands for itself. */
function percentDecode(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

const percentEncode = (character: string): string =>
  [...Buffer.from(character)].map((byte) => `%${byte.toString(16).toUpperCase().padStart(2, '0')}`).join('')
