import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { readTable } from '../../../../src/embedded/codec/field-table.ts'
import { FrameError, FrameReader } from '../../../../src/embedded/codec/frame-reader.ts'
import { readMethod } from '../../../../src/embedded/codec/method-codec.ts'
import { type MethodName, methodTable } from '../../../../src/embedded/codec/methods.ts'
import { readProperties } from '../../../../src/embedded/codec/properties.ts'
import { WireError, WireReader } from '../../../../src/embedded/codec/wire-reader.ts'
import { frame } from '../../../doubles/raw-amqp.ts'

const bytes = fc.uint8Array({ maxLength: 120 }).map((array) => Buffer.from(array))

/** Either it reads something, or it throws the one error that says the bytes are wrong. */
function readsOrRefuses(read: () => unknown, refusal: new (...args: never[]) => Error): boolean {
  try {
    read()
    return true
  } catch (error) {
    return error instanceof refusal
  }
}

test('any bytes are read as a table, as properties and as any method, or refused with a WireError', () => {
  fc.assert(
    fc.property(bytes, fc.constantFrom(...(Object.keys(methodTable) as MethodName[])), (random, name) => {
      assert.ok(readsOrRefuses(() => readTable(new WireReader(random)), WireError))
      assert.ok(readsOrRefuses(() => readProperties(new WireReader(random)), WireError))
      assert.ok(readsOrRefuses(() => readMethod(name, new WireReader(random)), WireError))
    }),
    { numRuns: 2_000 },
  )
})

test('any bytes are cut into frames or refused with a FrameError', () => {
  fc.assert(
    fc.property(bytes, (random) => {
      const reader = new FrameReader(4_096)
      reader.push(random)
      assert.ok(
        readsOrRefuses(() => {
          while (reader.next() !== undefined);
        }, FrameError),
      )
    }),
    { numRuns: 2_000 },
  )
})

test('a table nested as deep as a frame allows is refused without exhausting the stack', () => {
  let table = Buffer.alloc(0)
  // Each level: a size, an empty key, the tag F.
  const opening = Buffer.from([0, 0, 0, 0, 0, 0x46])
  const levels = 20_000
  const whole = Buffer.alloc(opening.length * levels)
  for (let level = 0; level < levels; level++) {
    opening.copy(whole, level * opening.length)
    whole.writeUInt32BE(whole.length - level * opening.length - 4, level * opening.length)
  }
  table = whole
  assert.throws(() => readTable(new WireReader(table)), /nested at most 32 deep/)
})

test('a frame is refused before its payload has come when its size or type can only be wrong', () => {
  const declared = frame(1, 0, Buffer.alloc(0), { declaredBytes: 0x7fff_ffff }).subarray(0, 7)
  const unknown = frame(9, 0, Buffer.alloc(0), { declaredBytes: 100 }).subarray(0, 7)
  for (const [head, text] of [
    [declared, /frame_too_large,2147483647,131064/],
    [unknown, /type 9, .*unknown_frame/],
  ] as const) {
    const reader = new FrameReader(131_072)
    reader.push(head)
    assert.throws(() => reader.next(), text)
  }
})

test('a frame with another end mark is refused', () => {
  const reader = new FrameReader(131_072)
  reader.push(frame(1, 0, Buffer.from([0, 10, 0, 40]), { end: 0 }))
  assert.throws(() => reader.next(), /type 1, all octets = <<0,10,0,40>>: \{invalid_frame_end_marker,0\}/)
})
