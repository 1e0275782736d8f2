/**
 * What a server answers to CONNECT and SUBSCRIBE, and its own DISCONNECT, as plain facts. Rare packets: read with
 * allocations, for clarity. `undefined` means malformed.
 */
import type { MqttVersion } from './packet-writer.ts'
import { readProperties } from './properties.ts'
import { reasonText } from './reason-text.ts'

export interface ConnackFacts {
  /** Absent: the login was accepted. */
  readonly refusal: string | undefined
  readonly serverKeepAliveS: number | undefined
}

export interface SubackFacts {
  readonly packetId: number
  /** By topic, in the order of the SUBSCRIBE; absent: granted. */
  readonly refusals: readonly (string | undefined)[]
}

const FAILURE = 0x80

export function readConnack(version: MqttVersion, data: Uint8Array, start: number, end: number): ConnackFacts | undefined {
  if (end - start < 2) return undefined
  const flags = data[start]!
  const code = data[start + 1]!
  // Bit 0 is "session present", which a clean start rules out.
  if (flags !== 0) return undefined
  if (version === '3.1.1') {
    if (end - start !== 2) return undefined
    return { refusal: code === 0 ? undefined : reasonText(version, code), serverKeepAliveS: undefined }
  }
  // A server that does not speak 5 answers in the form of 3.1.1, without properties.
  const properties = end - start === 2 ? undefined : readProperties(data, start + 2, end)
  if (properties === undefined ? code === 0 || end - start > 2 : properties.next !== end) return undefined
  const refusal = code === 0 ? undefined : withReason(reasonText(end - start === 2 ? '3.1.1' : '5', code), properties?.reason)
  return { refusal, serverKeepAliveS: properties?.serverKeepAliveS }
}

export function readSuback(version: MqttVersion, data: Uint8Array, start: number, end: number): SubackFacts | undefined {
  if (end - start < 2) return undefined
  const packetId = (data[start]! << 8) | data[start + 1]!
  const properties = version === '5' ? readProperties(data, start + 2, end) : undefined
  if (version === '5' && properties === undefined) return undefined
  const codes = [...data.subarray(properties?.next ?? start + 2, end)]
  // Between 2 and 0x80 nothing is defined.
  if (codes.some((code) => code > 2 && code < FAILURE)) return undefined
  const refusals = codes.map((code) => (code < FAILURE ? undefined : withReason(reasonText(version, code), properties?.reason)))
  return { packetId, refusals }
}

/** Why the server of version 5 ends the connection; 3.1.1 has no such packet. */
export function readDisconnect(data: Uint8Array, start: number, end: number): string | undefined {
  if (start === end) return 'normal disconnection (0)'
  const code = data[start]!
  const properties = end - start > 1 ? readProperties(data, start + 1, end) : undefined
  if (end - start > 1 && properties?.next !== end) return undefined
  return withReason(code === 0 ? 'normal disconnection (0)' : reasonText('5', code), properties?.reason)
}

const withReason = (text: string, reason: string | undefined): string => (reason === undefined ? text : `${text}: ${reason}`)
