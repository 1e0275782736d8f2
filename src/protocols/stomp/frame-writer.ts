/**
 * Writes the frames a subscriber says: CONNECT or STOMP, SUBSCRIBE, DISCONNECT, and the heart-beat. Pure text; what is worth
 * saying is the session's business.
 */
import { FanfareError } from '../../errors.ts'
import { escapeHeader, type StompVersion } from './header-text.ts'

export interface ConnectFields {
  /** Offered, ascending. */
  readonly versions: readonly StompVersion[]
  /** Virtual host. */
  readonly host: string
  readonly user: string | undefined
  readonly password: string | undefined
  /** How often we beat and want to hear beats; 0: neither. */
  readonly heartbeatMs: number
}

export const HEARTBEAT = '\n'

/** STOMP is the newer name of CONNECT; servers of 1.0 know the older one only. */
export function connectFrame({ versions, host, user, password, heartbeatMs }: ConnectFields): string {
  const headers: [name: string, value: string][] = [
    ['accept-version', versions.join(',')],
    ['host', oneLine(host, 'STOMP_HOST')],
    ['heart-beat', `${heartbeatMs},${heartbeatMs}`],
  ]
  if (user !== undefined) headers.push(['login', oneLine(user, 'PROTOCOL_USER')])
  if (password !== undefined) headers.push(['passcode', oneLine(password, 'PROTOCOL_PASSWORD')])
  return frame(versions.includes('1.0') ? 'CONNECT' : 'STOMP', headers)
}

export function subscribeFrame(version: StompVersion, id: string, destination: string, receipt: string): string {
  return frame('SUBSCRIBE', [
    ['id', id],
    ['destination', escapeHeader(version, oneLine(destination, 'STREAM'))],
    ['receipt', receipt],
    ['ack', 'auto'],
  ])
}

export const disconnectFrame = (): string => frame('DISCONNECT', [])

const frame = (command: string, headers: readonly (readonly [name: string, value: string])[]): string =>
  `${command}\n${headers.map(([name, value]) => `${name}:${value}\n`).join('')}\n\0`

/** Not every version can escape line breaks. Throws `settings-invalid`, naming `setting` and never its value, which may be a secret. */
export function oneLine(text: string, setting: string): string {
  if (!/[\n\r\0]/.test(text)) return text
  throw new FanfareError('settings-invalid', `Expected \`${setting}\` without line breaks and NUL characters: STOMP cannot carry them`)
}
