/**
 * Headers and subprotocols of every handshake, from WS_HEADERS, WS_TOKEN and WS_SUBPROTOCOL. Their values are secrets: a
 * complaint names the entry, never what it holds.
 */
import { FanfareError } from '../errors.ts'

/** The settings that shape a handshake, whatever the dialect. */
export interface RequestSettings {
  /** Entries of the form `Name: value`. */
  readonly wsHeaders: readonly string[]
  readonly wsToken: string | undefined
  /** One subprotocol or several separated by commas; replaces what the dialect would offer. */
  readonly wsSubprotocol: string | undefined
}

const TOKEN = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/
const HEADER_VALUE = /^[\t\x20-\x7e\x80-\xff]*$/
/** The engine writes these itself; a second opinion would break the handshake or the framing. */
const ENGINE_HEADERS = /^(connection|upgrade|content-length|transfer-encoding|sec-websocket-.*)$/i

/**
 * The headers as given, later entries replacing earlier ones of the same name in any case. WS_TOKEN wins over an
 * `Authorization` entry, which wins over a login in the URL (`urlAuthorization`).
 */
export function requestHeaders(settings: RequestSettings, urlAuthorization?: string): Readonly<Record<string, string>> {
  const headers = new Map<string, [name: string, value: string]>()
  const put = (name: string, value: string) => headers.set(name.toLowerCase(), [name, value])
  if (urlAuthorization !== undefined) put('Authorization', urlAuthorization)
  settings.wsHeaders.forEach((entry, index) => {
    put(...parseHeader(entry, index))
  })
  if (settings.wsToken !== undefined) put('Authorization', bearer(settings.wsToken))
  return Object.fromEntries(headers.values())
}

/** What is offered as `Sec-WebSocket-Protocol`, in order of preference. */
export function offeredSubprotocols(settings: RequestSettings, dialect: readonly string[]): readonly string[] {
  if (settings.wsSubprotocol === undefined) return dialect
  const names = settings.wsSubprotocol.split(',').map((name) => name.trim())
  if (names.every((name) => TOKEN.test(name)) && new Set(names).size === names.length) return names
  throw new FanfareError(
    'settings-invalid',
    `Expected \`WS_SUBPROTOCOL\` to be different names separated by commas, got \`${settings.wsSubprotocol}\``,
  )
}

function parseHeader(entry: string, index: number): [name: string, value: string] {
  const colon = entry.indexOf(':')
  const name = entry.slice(0, Math.max(colon, 0)).trim()
  const value = entry.slice(colon + 1).trim()
  if (!TOKEN.test(name) || !HEADER_VALUE.test(value)) {
    throw new FanfareError('settings-invalid', `Expected entry ${index + 1} of \`WS_HEADERS\` to read \`Name: value\``)
  }
  if (ENGINE_HEADERS.test(name)) {
    throw new FanfareError('settings-invalid', `Expected no \`${name}\` in \`WS_HEADERS\`: the handshake sets it itself`)
  }
  return [name, value]
}

function bearer(token: string): string {
  if (HEADER_VALUE.test(token) && token.trim() !== '') return `Bearer ${token.trim()}`
  throw new FanfareError('settings-invalid', 'Expected `WS_TOKEN` to be a token without line breaks')
}
