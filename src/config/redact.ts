/**
 * Hides secrets in texts that reports, logs and complaints print. It works on text, not on parsed values, because a value
 * that does not parse may hold a password all the same. It knows no settings.
 */

/** Stands where a secret was. */
export const HIDDEN = '***'

const AUTHORITY = /^([a-z][a-z0-9+.-]*:\/\/)([^/?#]*)@/i
const SECRET_PARAMETER = /([?&][^=&#]*(?:token|passw|secret|key|jwt|auth|sig|credential)[^=&#]*=)[^&#]*/gi

/** A URL known to be well formed: its password and query parameters that sound secret are hidden, the rest stays readable. */
export const redactUrl = (url: string): string =>
  hideParameters(url.replace(AUTHORITY, (_, scheme: string, user: string) => `${scheme}${hidePassword(user)}@`))

/**
 * What was meant as a URL but is not one. Where its password ends is unknown, so everything before the last `@` goes,
 * and without an `@` whatever stands where a port should but is none: `amqp://guest:secret`.
 */
export function redactBrokenUrl(text: string): string {
  const scheme = /^[a-z][a-z0-9+.-]*:(?:\/\/)?/i.exec(text)?.[0] ?? ''
  const at = text.lastIndexOf('@')
  if (at >= 0) return hideParameters(`${at > scheme.length ? scheme : ''}${HIDDEN}${text.slice(at)}`)
  const rest = text.slice(scheme.length)
  return hideParameters(scheme + rest.replace(/:(?!\d*(?:[/?#]|$))[^/?#]*/g, `:${HIDDEN}`))
}

/** `Name: value` with the value hidden; the whole text when it has no name. */
export const redactHeader = (line: string): string => (/^[^\s:]+:/.test(line) ? line.replace(/:.*$/s, `: ${HIDDEN}`) : HIDDEN)

const hidePassword = (userInfo: string): string =>
  userInfo.includes(':') ? `${userInfo.slice(0, userInfo.indexOf(':'))}:${HIDDEN}` : userInfo

const hideParameters = (url: string): string => url.replace(SECRET_PARAMETER, `$1${HIDDEN}`)
