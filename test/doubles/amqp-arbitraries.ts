/** Any value AMQP's types can hold, for property tests of the embedded broker's codec. */
import fc from 'fast-check'
import type { FieldTable, FieldValue } from '../../src/embedded/codec/field-table.ts'
import { type Method, type MethodName, methodTable, type WireType } from '../../src/embedded/codec/methods.ts'

/** Text that survives UTF-8: no lone surrogates. */
const text = (maxLength: number) => fc.string({ unit: 'grapheme', maxLength })
const shortstr = text(60).filter((value) => Buffer.byteLength(value) <= 255)
/** The one key a plain object, which other libraries make of a table, cannot hold. */
const key = shortstr.filter((name) => name !== '__proto__')
const bytes = fc.uint8Array({ maxLength: 300 }).map((array) => Buffer.from(array))
const uint = (bits: number) => fc.integer({ min: 0, max: 2 ** bits - 1 })
const int = (bits: number) => fc.integer({ min: -(2 ** (bits - 1)), max: 2 ** (bits - 1) - 1 })

const tagged = (type: FieldValue['type'], values: fc.Arbitrary<FieldValue['value']>): fc.Arbitrary<FieldValue> =>
  values.map((value) => ({ type, value }) as FieldValue)

const { table } = fc.letrec<{ value: FieldValue; table: FieldTable }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 4 },
    tagged('bool', fc.boolean()),
    tagged('byte', int(8)),
    tagged('unsignedbyte', uint(8)),
    tagged('short', int(16)),
    tagged('unsignedshort', uint(16)),
    tagged('signedint', int(32)),
    tagged('unsignedint', uint(32)),
    tagged('long', fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n })),
    tagged('timestamp', fc.bigInt({ min: 0n, max: 2n ** 64n - 1n })),
    tagged('float', fc.float({ noNaN: true })),
    tagged('double', fc.double({ noNaN: true })),
    tagged(
      'decimal',
      fc.tuple(uint(8), uint(32)).map(([places, digits]) => ({ places, digits })),
    ),
    tagged('longstr', text(200)),
    tagged('binary', bytes),
    tagged('void', fc.constant(null)),
    tagged('array', fc.array(tie('value'), { maxLength: 4 })),
    tagged('table', tie('table')),
  ),
  table: fc.array(fc.tuple(key, tie('value')), { maxLength: 5 }).map((entries) => new Map(entries)),
}))

export const anyFieldTable: fc.Arbitrary<FieldTable> = table

const byType: Record<WireType, fc.Arbitrary<unknown>> = {
  bit: fc.boolean(),
  octet: uint(8),
  short: uint(16),
  long: uint(32),
  longlong: fc.maxSafeNat(),
  shortstr,
  longstr: bytes,
  table,
}

/** Any method of the table with any arguments. */
export const anyMethod: fc.Arbitrary<Method> = fc.constantFrom(...(Object.keys(methodTable) as MethodName[])).chain((name) => {
  const args = Object.entries(methodTable[name].args).map(([arg, type]) => [arg, byType[type as WireType]])
  return fc.record(Object.fromEntries(args), { noNullPrototype: true }).map((values) => ({ name, args: values }) as unknown as Method)
})
