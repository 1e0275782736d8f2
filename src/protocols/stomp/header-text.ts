/**
 * Escapes of STOMP header names and values, which differ by version: 1.0 has none, 1.1 escapes line feed, colon and backslash,
 * 1.2 also carriage return. CONNECT and CONNECTED are never escaped, so that 1.0 peers understand them.
 */

export type StompVersion = '1.0' | '1.1' | '1.2'

const TO_ESCAPE: Readonly<Record<string, string>> = { '\\': '\\\\', '\n': '\\n', ':': '\\c', '\r': '\\r' }
const FROM_ESCAPE: Readonly<Record<string, string>> = { '\\\\': '\\', '\\n': '\n', '\\c': ':', '\\r': '\r' }

/** `text` as it is written in a header of `version`. */
export function escapeHeader(version: StompVersion, text: string): string {
  if (version === '1.0') return text
  return text.replace(version === '1.1' ? /[\\\n:]/g : /[\\\n:\r]/g, (character) => TO_ESCAPE[character]!)
}

/** What a header of `version` says; undefined when it holds an escape that the version does not know, which is fatal. */
export function unescapeHeader(version: StompVersion, text: string): string | undefined {
  if (version === '1.0' || !text.includes('\\')) return text
  const known = version === '1.1' ? /^(?:[^\\]|\\[\\nc])*$/ : /^(?:[^\\]|\\[\\ncr])*$/
  return known.test(text) ? text.replace(/\\./g, (sequence) => FROM_ESCAPE[sequence]!) : undefined
}
