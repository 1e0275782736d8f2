/**
 * Turns method frames into methods and methods into method frames, both driven by the table in methods.ts.
 */
import { readTable, writeTable } from './field-table.ts'
import { type Method, type MethodArgs, type MethodName, methodTable, type WireType } from './methods.ts'
import { WireError, type WireReader } from './wire-reader.ts'
import type { WireWriter } from './wire-writer.ts'

interface Layout {
  readonly name: MethodName
  readonly classId: number
  readonly methodId: number
  readonly args: readonly (readonly [name: string, type: WireType])[]
}

const layouts = Object.entries(methodTable).map(
  ([name, { classId, methodId, args }]): Layout => ({
    name: name as MethodName,
    classId,
    methodId,
    args: Object.entries(args) as [string, WireType][],
  }),
)
const layoutsByName = new Map(layouts.map((layout) => [layout.name, layout]))
const layoutsById = new Map(layouts.map((layout) => [methodKey(layout.classId, layout.methodId), layout]))

function methodKey(classId: number, methodId: number): number {
  return classId * 0x1_0000 + methodId
}

export function methodNameOf(classId: number, methodId: number): MethodName | undefined {
  return layoutsById.get(methodKey(classId, methodId))?.name
}

/** Reads the arguments of a method to the end of the frame; what is cut short or left over throws WireError. */
export function readMethod(name: MethodName, reader: WireReader): Method {
  const args: Record<string, unknown> = {}
  let bits = 0
  let bitMask = 0x100
  for (const [arg, type] of layoutsByName.get(name)!.args) {
    if (type === 'bit') {
      if (bitMask > 0x80) {
        bits = reader.octet()
        bitMask = 1
      }
      args[arg] = (bits & bitMask) !== 0
      bitMask <<= 1
    } else {
      bitMask = 0x100
      args[arg] = readArg(type, reader)
    }
  }
  if (reader.remaining > 0) throw new WireError(`expected the arguments of ${name} to end, got ${reader.remaining} more bytes`)
  return { name, args } as Method
}

function readArg(type: Exclude<WireType, 'bit'>, reader: WireReader): unknown {
  switch (type) {
    case 'octet':
      return reader.octet()
    case 'short':
      return reader.short()
    case 'long':
      return reader.long()
    case 'longlong':
      return reader.longlong()
    case 'shortstr':
      return reader.shortstr()
    case 'longstr':
      return reader.longstr()
    case 'table':
      return readTable(reader)
  }
}

/** Writes class, method and arguments: the payload of a method frame that the caller has begun. */
export function writeMethod<Name extends MethodName>(writer: WireWriter, name: Name, args: MethodArgs<Name>): void {
  const layout = layoutsByName.get(name)!
  writer.short(layout.classId)
  writer.short(layout.methodId)
  let bits = 0
  let bitMask = 1
  for (const [arg, type] of layout.args) {
    const value = (args as Record<string, unknown>)[arg]
    if (type === 'bit') {
      if (value) bits |= bitMask
      bitMask <<= 1
      continue
    }
    if (bitMask > 1) writer.octet(bits)
    bits = 0
    bitMask = 1
    writeArg(writer, type, value)
  }
  if (bitMask > 1) writer.octet(bits)
}

function writeArg(writer: WireWriter, type: Exclude<WireType, 'bit'>, value: unknown): void {
  switch (type) {
    case 'octet':
      writer.octet(value as number)
      break
    case 'short':
      writer.short(value as number)
      break
    case 'long':
      writer.long(value as number)
      break
    case 'longlong':
      writer.longlong(value as number)
      break
    case 'shortstr':
      writer.shortstr(value as string)
      break
    case 'longstr':
      writer.longstr(value as Buffer)
      break
    case 'table':
      writeTable(writer, value as MethodArgs<'queue.declare'>['arguments'])
      break
  }
}
