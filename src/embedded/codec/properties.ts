/**
 * Basic properties: the list in a content header. The broker only ever reads them (they travel on as the bytes they
 * came as), so there is no writer here.
 */
import { type FieldTable, readTable } from './field-table.ts'
import { WireError, type WireReader } from './wire-reader.ts'

export interface BasicProperties {
  readonly contentType?: string
  readonly contentEncoding?: string
  readonly headers?: FieldTable
  readonly deliveryMode?: number
  readonly priority?: number
  readonly correlationId?: string
  readonly replyTo?: string
  readonly expiration?: string
  readonly messageId?: string
  /** Seconds since the epoch, by convention. */
  readonly timestamp?: number
  readonly type?: string
  readonly userId?: string
  readonly appId?: string
  readonly clusterId?: string
}

/** In the order of their flags, the highest bit first. */
const LAYOUT = [
  ['contentType', 'shortstr'],
  ['contentEncoding', 'shortstr'],
  ['headers', 'table'],
  ['deliveryMode', 'octet'],
  ['priority', 'octet'],
  ['correlationId', 'shortstr'],
  ['replyTo', 'shortstr'],
  ['expiration', 'shortstr'],
  ['messageId', 'shortstr'],
  ['timestamp', 'longlong'],
  ['type', 'shortstr'],
  ['userId', 'shortstr'],
  ['appId', 'shortstr'],
  ['clusterId', 'shortstr'],
] as const satisfies readonly (readonly [keyof BasicProperties, 'shortstr' | 'table' | 'octet' | 'longlong'])[]

const FIRST_FLAG = 0x8000
/** The two lowest bits: one has no property, the other would announce more flags, which AMQP 0-9-1 has no use for. */
const UNUSED_FLAGS = 0x0003

/** Reads flags and properties to the end of the frame; anything left over or cut short throws WireError. */
export function readProperties(reader: WireReader): BasicProperties {
  const flags = reader.short()
  if ((flags & UNUSED_FLAGS) !== 0) throw new WireError(`expected flags of ${LAYOUT.length} known properties, got 0x${flags.toString(16)}`)
  const properties: Record<string, unknown> = {}
  let flag = FIRST_FLAG
  for (const [name, type] of LAYOUT) {
    if ((flags & flag) !== 0) properties[name] = type === 'table' ? readTable(reader) : reader[type]()
    flag >>= 1
  }
  if (reader.remaining > 0) throw new WireError(`expected the properties to end, got ${reader.remaining} more bytes`)
  return properties
}
