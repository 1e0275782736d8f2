// Two codecs that share no line must agree. amqplib hides its own behind its exports; a resolved path reaches it.
import assert from 'node:assert/strict'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { test } from 'node:test'
import fc from 'fast-check'
import type { FieldTable, FieldValue } from '../../../../src/embedded/codec/field-table.ts'
import { readMethod } from '../../../../src/embedded/codec/method-codec.ts'
import { type Method, type MethodName, methodTable } from '../../../../src/embedded/codec/methods.ts'
import { readProperties } from '../../../../src/embedded/codec/properties.ts'
import { WireReader } from '../../../../src/embedded/codec/wire-reader.ts'
import { anyMethod } from '../../../doubles/amqp-arbitraries.ts'
import { methodFrame } from '../../../doubles/raw-amqp.ts'

interface AmqplibDefinitions {
  encodeMethod(id: number, channel: number, fields: Record<string, unknown>): Buffer
  decode(id: number, bytes: Buffer): Record<string, unknown>
  encodeProperties(id: number, channel: number, bodyBytes: number, fields: Record<string, unknown>): Buffer
}

const require = createRequire(import.meta.url)
const amqplib: AmqplibDefinitions = require(join(dirname(require.resolve('amqplib')), 'lib', 'defs.js'))

const METHOD_FRAME_PREFIX_BYTES = 11
const HEADER_FRAME_PREFIX_BYTES = 7 + 12
const BASIC_CLASS = 60

const idOf = (name: MethodName): number => methodTable[name].classId * 0x1_0000 + methodTable[name].methodId

/** Field names as amqplib has them. */
const amqplibName = (name: string): string => (name === 'noWait' ? 'nowait' : name)

/** Our tagged values as amqplib writes and reads them; undefined for what it cannot hold. */
function plain(field: FieldValue): unknown {
  switch (field.type) {
    case 'array':
      return field.value.map(plain)
    case 'table':
      return plainTable(field.value)
    case 'long':
    case 'timestamp':
      return Number(field.value)
    case 'decimal':
      return { '!': 'decimal', value: field.value }
    default:
      return field.value
  }
}

const plainTable = (table: FieldTable): Record<string, unknown> => Object.fromEntries([...table].map(([key, field]) => [key, plain(field)]))

const plainArgs = (args: Method['args']): Record<string, unknown> =>
  Object.fromEntries(Object.entries(args).map(([name, value]) => [amqplibName(name), value instanceof Map ? plainTable(value) : value]))

const emptyTables = (name: MethodName): Record<string, unknown> =>
  Object.fromEntries(Object.entries(methodTable[name].args).flatMap(([arg, type]) => (type === 'table' ? [[arg, {}]] : [])))

/** amqplib gives timestamps and decimals it has read a form of its own. */
const comparable = (value: unknown): unknown =>
  JSON.parse(
    JSON.stringify(value, (_key, inner) => {
      if (inner !== null && typeof inner === 'object' && '!' in inner) return inner.value
      return inner
    }),
  )

const known = anyMethod.filter(({ name }) => name !== 'tx.select')

/** Tables are left to the other direction: amqplib guesses types from values, so it could not be told ours. */
const withoutTables = known.map(
  (method) =>
    ({ ...method, args: Object.fromEntries(Object.entries(method.args).filter(([, value]) => !(value instanceof Map))) }) as Method,
)

test('amqplib reads what we write as we meant it', () => {
  fc.assert(
    fc.property(known, (method) => {
      const bytes = methodFrame(1, method.name, method.args as never)
      const fields = amqplib.decode(idOf(method.name), bytes.subarray(METHOD_FRAME_PREFIX_BYTES, -1))
      const expected = plainArgs(method.args)
      for (const [name, value] of Object.entries(expected))
        assert.deepEqual(comparable(fields[name]), comparable(value), `${method.name} ${name}`)
    }),
    { numRuns: 1_000 },
  )
})

test('we read what amqplib writes as it was meant, for every method', () => {
  fc.assert(
    fc.property(withoutTables, ({ name, args }) => {
      const bytes = amqplib.encodeMethod(idOf(name), 1, { ...plainArgs(args), ...emptyTables(name) })
      const read = readMethod(name, new WireReader(bytes, METHOD_FRAME_PREFIX_BYTES, bytes.length - 1))
      for (const [arg, value] of Object.entries(args))
        assert.deepEqual((read.args as Record<string, unknown>)[arg], value, `${name} ${arg}`)
    }),
    { numRuns: 1_000 },
  )
})

test('we read the properties amqplib writes, any of them in any combination', () => {
  const text = fc.string({ maxLength: 50 })
  const properties = fc.record(
    {
      contentType: text,
      contentEncoding: text,
      deliveryMode: fc.constantFrom(1, 2),
      priority: fc.nat({ max: 255 }),
      correlationId: text,
      replyTo: text,
      expiration: text,
      messageId: text,
      timestamp: fc.nat({ max: 2 ** 31 }),
      type: text,
      userId: text,
      appId: text,
      clusterId: text,
    },
    { requiredKeys: [] },
  )
  fc.assert(
    fc.property(properties, fc.option(fc.dictionary(fc.string({ maxLength: 20 }), fc.string())), (fields, headers) => {
      const bytes = amqplib.encodeProperties(BASIC_CLASS, 1, 5, { ...fields, headers: headers ?? undefined })
      const read = readProperties(new WireReader(bytes, HEADER_FRAME_PREFIX_BYTES, bytes.length - 1))
      const { headers: readHeaders, ...rest } = read
      assert.deepEqual(rest, { ...fields })
      if (headers !== null) assert.deepEqual(plainTable(readHeaders ?? new Map()), { ...headers })
    }),
    { numRuns: 500 },
  )
})
