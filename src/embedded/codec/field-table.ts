/**
 * Field tables: the typed maps in arguments and headers. Values keep the type they travelled as, under RabbitMQ's own
 * names for them, so that a table reads and writes back unchanged and error texts can say what RabbitMQ says.
 */
import { WireError, type WireReader } from './wire-reader.ts'
import type { WireWriter } from './wire-writer.ts'

export type FieldValue =
  | { readonly type: 'bool'; readonly value: boolean }
  | {
      readonly type: 'byte' | 'unsignedbyte' | 'short' | 'unsignedshort' | 'signedint' | 'unsignedint' | 'float' | 'double'
      readonly value: number
    }
  | { readonly type: 'long' | 'timestamp'; readonly value: bigint }
  | { readonly type: 'decimal'; readonly value: { readonly places: number; readonly digits: number } }
  | { readonly type: 'longstr'; readonly value: string }
  | { readonly type: 'binary'; readonly value: Buffer }
  | { readonly type: 'array'; readonly value: readonly FieldValue[] }
  | { readonly type: 'table'; readonly value: FieldTable }
  | { readonly type: 'void'; readonly value: null }

export type FieldTable = ReadonlyMap<string, FieldValue>

export const EMPTY_TABLE: FieldTable = new Map()

/** Deeper nesting is refused: honest tables are flat, and a hostile one must not exhaust the stack. */
const MAX_DEPTH = 32

const TAG = {
  bool: 't',
  byte: 'b',
  unsignedbyte: 'B',
  short: 's',
  unsignedshort: 'u',
  signedint: 'I',
  unsignedint: 'i',
  long: 'l',
  float: 'f',
  double: 'd',
  decimal: 'D',
  longstr: 'S',
  binary: 'x',
  array: 'A',
  timestamp: 'T',
  table: 'F',
  void: 'V',
} as const satisfies Record<FieldValue['type'], string>

const tagCodes = Object.fromEntries(Object.entries(TAG).map(([type, tag]) => [type, tag.charCodeAt(0)])) as Record<
  FieldValue['type'],
  number
>
const typesByTagCode = new Map(Object.entries(tagCodes).map(([type, code]) => [code, type as FieldValue['type']]))

export function readTable(reader: WireReader, depth = 0): FieldTable {
  const bytes = reader.long()
  if (bytes === 0) return EMPTY_TABLE
  if (depth > MAX_DEPTH) throw new WireError(`expected a field table nested at most ${MAX_DEPTH} deep`)
  const inner = reader.slice(bytes)
  const table = new Map<string, FieldValue>()
  while (inner.remaining > 0) {
    const key = inner.shortstr()
    table.set(key, readValue(inner, depth))
  }
  return table
}

function readArray(reader: WireReader, depth: number): readonly FieldValue[] {
  if (depth > MAX_DEPTH) throw new WireError(`expected an array nested at most ${MAX_DEPTH} deep`)
  const inner = reader.slice(reader.long())
  const values: FieldValue[] = []
  while (inner.remaining > 0) values.push(readValue(inner, depth))
  return values
}

function readValue(reader: WireReader, depth: number): FieldValue {
  const code = reader.octet()
  const type = typesByTagCode.get(code)
  switch (type) {
    case 'bool':
      return { type, value: reader.octet() !== 0 }
    case 'byte':
      return { type, value: reader.signedOctet() }
    case 'unsignedbyte':
      return { type, value: reader.octet() }
    case 'short':
      return { type, value: reader.signedShort() }
    case 'unsignedshort':
      return { type, value: reader.short() }
    case 'signedint':
      return { type, value: reader.signedLong() }
    case 'unsignedint':
      return { type, value: reader.long() }
    case 'long':
      return { type, value: reader.signedLonglong() }
    case 'timestamp':
      return { type, value: reader.unsignedLonglong() }
    case 'float':
      return { type, value: reader.float() }
    case 'double':
      return { type, value: reader.double() }
    case 'decimal':
      return { type, value: { places: reader.octet(), digits: reader.long() } }
    case 'longstr':
      return { type, value: reader.longstr().toString() }
    case 'binary':
      return { type, value: reader.longstr() }
    case 'array':
      return { type, value: readArray(reader, depth + 1) }
    case 'table':
      return { type, value: readTable(reader, depth + 1) }
    case 'void':
      return { type, value: null }
    case undefined:
      throw new WireError(`expected the tag of a field value, got ${code}`)
  }
}

export function writeTable(writer: WireWriter, table: FieldTable): void {
  writer.sized(() => {
    for (const [key, value] of table) {
      writer.shortstr(key)
      writeValue(writer, value)
    }
  })
}

function writeValue(writer: WireWriter, field: FieldValue): void {
  writer.octet(tagCodes[field.type])
  switch (field.type) {
    case 'bool':
      writer.octet(field.value ? 1 : 0)
      break
    case 'byte':
      writer.signedOctet(field.value)
      break
    case 'unsignedbyte':
      writer.octet(field.value)
      break
    case 'short':
      writer.signedShort(field.value)
      break
    case 'unsignedshort':
      writer.short(field.value)
      break
    case 'signedint':
      writer.signedLong(field.value)
      break
    case 'unsignedint':
      writer.long(field.value)
      break
    case 'long':
      writer.signedLonglong(field.value)
      break
    case 'timestamp':
      writer.unsignedLonglong(field.value)
      break
    case 'float':
      writer.float(field.value)
      break
    case 'double':
      writer.double(field.value)
      break
    case 'decimal':
      writer.octet(field.value.places)
      writer.long(field.value.digits)
      break
    case 'longstr':
      writer.longstr(Buffer.from(field.value))
      break
    case 'binary':
      writer.longstr(field.value)
      break
    case 'array':
      writer.sized(() => {
        for (const value of field.value) writeValue(writer, value)
      })
      break
    case 'table':
      writeTable(writer, field.value)
      break
    case 'void':
      break
  }
}

/** A table of strings, booleans and tables of booleans, as capabilities and product names are told. */
export function tableOf(entries: Readonly<Record<string, string | boolean | Readonly<Record<string, boolean>>>>): FieldTable {
  return new Map(
    Object.entries(entries).map(([key, value]): [string, FieldValue] => {
      if (typeof value === 'string') return [key, { type: 'longstr', value }]
      if (typeof value === 'boolean') return [key, { type: 'bool', value }]
      return [key, { type: 'table', value: tableOf(value) }]
    }),
  )
}
