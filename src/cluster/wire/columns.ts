/**
 * How columns of numbers travel in a JSON message: their bytes, little-endian, in base64. Doubles stay exactly what they are, and a
 * column of thousands costs one string. It knows nothing of what the numbers mean.
 */
import { endianness } from 'node:os'
import { z } from 'zod'

/** A column as parts of the program hand it over: plain arrays are allowed, typed ones come back. */
export type Column<T extends Float64Array | Uint32Array | Uint8Array> = readonly number[] | T

type ColumnArray = Float64Array | Uint32Array | Uint8Array
interface ColumnKind<T extends ColumnArray> {
  readonly BYTES_PER_ELEMENT: number
  from(values: ArrayLike<number>): T
  new (buffer: ArrayBuffer): T
}

/** @param maxRows longer columns are refused on both sides */
const columnOf = <T extends ColumnArray>(kind: ColumnKind<T>, maxRows: number) =>
  z.codec(
    z.string().max(base64Length(maxRows * kind.BYTES_PER_ELEMENT)),
    z.custom<Column<T>>((value) => isColumn(value) && value.length <= maxRows, 'a column of numbers'),
    { decode: (text, context) => decodeColumn(kind, text, context), encode: (values) => encodeColumn(kind, values) },
  )

export const float64Column = (maxRows: number) => columnOf<Float64Array>(Float64Array, maxRows)
export const uint32Column = (maxRows: number) => columnOf<Uint32Array>(Uint32Array, maxRows)
export const uint8Column = (maxRows: number) => columnOf<Uint8Array>(Uint8Array, maxRows)

const base64Length = (bytes: number): number => Math.ceil(bytes / 3) * 4

const isColumn = (value: unknown): value is ArrayLike<number> =>
  Array.isArray(value) || value instanceof Float64Array || value instanceof Uint32Array || value instanceof Uint8Array

function encodeColumn<T extends ColumnArray>(kind: ColumnKind<T>, values: ArrayLike<number>): string {
  const { buffer, byteOffset, byteLength } = values instanceof (kind as unknown as new () => T) ? values : kind.from(values)
  return swapIfBigEndian(Buffer.from(Buffer.from(buffer, byteOffset, byteLength)), kind.BYTES_PER_ELEMENT).toString('base64')
}

function decodeColumn<T extends ColumnArray>(kind: ColumnKind<T>, text: string, context: z.core.ParsePayload<string>): Column<T> {
  const bytes = Buffer.from(text, 'base64')
  // Node leaves out what is not base64 instead of refusing it; the length tells.
  const isWhole = base64Length(bytes.length) === text.length && bytes.length % kind.BYTES_PER_ELEMENT === 0
  if (!isWhole) {
    context.issues.push({ code: 'custom', message: 'a column that is not whole numbers in base64', input: text })
    return z.NEVER
  }
  swapIfBigEndian(bytes, kind.BYTES_PER_ELEMENT)
  // A copy: columns must start at a multiple of their size, and Node's small buffers lie anywhere in a pool.
  return new kind(new Uint8Array(bytes).buffer)
}

const isBigEndian = endianness() === 'BE'

function swapIfBigEndian(bytes: Buffer, width: number): Buffer {
  if (!isBigEndian || width === 1) return bytes
  return width === 4 ? bytes.swap32() : bytes.swap64()
}
