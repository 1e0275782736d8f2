/**
 * Lists of URLs as people write them in one setting. Query strings may hold commas (`?stream=a,b`), so a comma separates
 * only in front of a scheme. It checks shape, never whether something answers.
 */
import { redactBrokenUrl, redactUrl } from './redact.ts'

const SEPARATOR = /,\s*(?=[a-z][a-z0-9+.-]*:\/\/)/i
const HOST = /^(?:\[[0-9a-f:.]+\]|[\w.%-]+)$/i

/** The entries of a list of URLs, trimmed. Splitting never fails; entries may be malformed. */
export const splitEndpoints = (text: string): string[] =>
  text
    .trim()
    .split(SEPARATOR)
    .map((entry) => entry.trim())

/** Whether `entry` is a URL that can be dialed with one of `protocols` (`ws:`). */
export function isEndpoint(entry: string, protocols: readonly string[]): boolean {
  if (/[\s#]/.test(entry) || !URL.canParse(entry)) return false
  const url = new URL(entry)
  if (!protocols.includes(url.protocol) || !HOST.test(url.hostname) || url.port === '0') return false
  // `ws://a/,b:8080` is one URL with a comma in its path: a list gone wrong, as a query string's commas are not.
  if (url.pathname.includes(',')) return false
  // `amqp://user:1/2@host` parses, with `user` as the host: a password that was not percent-encoded.
  if (url.protocol.startsWith('amqp') && (url.pathname + url.search).includes('@')) return false
  return [url.username, url.password, url.pathname].every(isPercentEncoded)
}

/** One entry with its password and secret parameters hidden, whether it is well formed or not. */
export const redactEndpoint = (entry: string, protocols: readonly string[]): string =>
  isEndpoint(entry, protocols) ? redactUrl(entry) : redactBrokenUrl(entry)

function isPercentEncoded(text: string): boolean {
  try {
    decodeURIComponent(text)
    return true
  } catch {
    return false
  }
}
