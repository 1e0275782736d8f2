/**
 * MQTT 5 properties (§2.2.2) of the packets that answer: only those a subscriber acts on are handed over, the others are
 * stepped over by their type. 3.1.1 has none.
 */
import { readVariableInt, variableIntBytes } from './variable-int.ts'

export interface Properties {
  /** The server closes a client that is silent for one and a half times this. */
  readonly serverKeepAliveS: number | undefined
  /** The server's own words for its reason code. */
  readonly reason: string | undefined
  /** Where the bytes after the properties begin. */
  readonly next: number
}

type ValueType = 'byte' | 'uint16' | 'uint32' | 'variable' | 'bytes' | 'pair'

/** All properties by identifier (§2.2.2.2, table 2-4); UTF-8 strings and binary data are laid out alike. */
const VALUE_TYPES: Readonly<Record<number, ValueType>> = {
  1: 'byte', // payload format
  2: 'uint32', // message expiry
  3: 'bytes', // content type
  8: 'bytes', // response topic
  9: 'bytes', // correlation data
  11: 'variable', // subscription identifier
  17: 'uint32', // session expiry
  18: 'bytes', // assigned client identifier
  19: 'uint16', // server keep alive
  21: 'bytes', // authentication method
  22: 'bytes', // authentication data
  23: 'byte', // request problem information
  24: 'uint32', // will delay
  25: 'byte', // request response information
  26: 'bytes', // response information
  28: 'bytes', // server reference
  31: 'bytes', // reason string
  33: 'uint16', // receive maximum
  34: 'uint16', // topic alias maximum
  35: 'uint16', // topic alias
  36: 'byte', // maximum QoS
  37: 'byte', // retain available
  38: 'pair', // user property
  39: 'uint32', // maximum packet size
  40: 'byte', // wildcard subscription available
  41: 'byte', // subscription identifiers available
  42: 'byte', // shared subscription available
}

const SERVER_KEEP_ALIVE = 19
const REASON_STRING = 31

/** The properties at `data[start, end)`, length first; undefined when malformed. */
export function readProperties(data: Uint8Array, start: number, end: number): Properties | undefined {
  const length = readVariableInt(data, start, end)
  if (length < 0) return undefined
  let at = start + variableIntBytes(length)
  const next = at + length
  if (next > end) return undefined

  let serverKeepAliveS: number | undefined
  let reason: string | undefined
  while (at < next) {
    const id = data[at]!
    const valueStart = at + 1
    const valueEnd = endOfValue(VALUE_TYPES[id], data, valueStart, next)
    if (valueEnd === undefined) return undefined
    if (id === SERVER_KEEP_ALIVE) serverKeepAliveS = uint16(data, valueStart)
    if (id === REASON_STRING)
      reason = Buffer.from(data.buffer, data.byteOffset + valueStart + 2, valueEnd - valueStart - 2).toString('utf8')
    at = valueEnd
  }
  return { serverKeepAliveS, reason, next }
}

/** Where the value at `start` ends; undefined when its type is unknown or it does not end before `end`. */
function endOfValue(type: ValueType | undefined, data: Uint8Array, start: number, end: number): number | undefined {
  if (type === undefined) return undefined
  if (type === 'pair') {
    const middle = endOfValue('bytes', data, start, end)
    return middle === undefined ? undefined : endOfValue('bytes', data, middle, end)
  }
  const valueEnd = start + valueBytes(type, data, start, end)
  return valueEnd <= end ? valueEnd : undefined
}

function valueBytes(type: Exclude<ValueType, 'pair'>, data: Uint8Array, start: number, end: number): number {
  switch (type) {
    case 'byte':
      return 1
    case 'uint16':
      return 2
    case 'uint32':
      return 4
    case 'bytes':
      return start + 2 <= end ? 2 + uint16(data, start) : 2
    case 'variable': {
      const value = readVariableInt(data, start, end)
      return value < 0 ? Number.POSITIVE_INFINITY : variableIntBytes(value)
    }
  }
}

const uint16 = (data: Uint8Array, at: number): number => (data[at]! << 8) | data[at + 1]!
