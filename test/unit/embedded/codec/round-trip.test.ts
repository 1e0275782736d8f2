import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { readTable, tableOf, writeTable } from '../../../../src/embedded/codec/field-table.ts'
import { FRAME_BODY, FRAME_METHOD, FrameReader } from '../../../../src/embedded/codec/frame-reader.ts'
import { readMethod, writeMethod } from '../../../../src/embedded/codec/method-codec.ts'
import { WireReader } from '../../../../src/embedded/codec/wire-reader.ts'
import { WireWriter } from '../../../../src/embedded/codec/wire-writer.ts'
import { anyFieldTable, anyMethod } from '../../../doubles/amqp-arbitraries.ts'
import { frame, methodFrame } from '../../../doubles/raw-amqp.ts'

const FRAME_MAX_BYTES = 131_072
/** Type, channel and size; and class and method in front of a method's arguments. */
const FRAME_HEADER_BYTES = 7
const METHOD_IDS_BYTES = 4

test('a field table of any types reads back as it was written', () => {
  fc.assert(
    fc.property(anyFieldTable, (table) => {
      const writer = new WireWriter()
      writer.beginFrame(FRAME_METHOD, 0)
      writeTable(writer, table)
      const bytes = Buffer.concat(writer.takePieces()).subarray(FRAME_HEADER_BYTES)
      const reader = new WireReader(bytes)
      assert.deepEqual(readTable(reader), table)
      assert.equal(reader.remaining, 0)
    }),
  )
})

test('a method with any arguments reads back as it was written', () => {
  fc.assert(
    fc.property(anyMethod, fc.integer({ min: 0, max: 65_535 }), (method, channel) => {
      const bytes = methodFrame(channel, method.name, method.args as never)
      assert.deepEqual([bytes[0], bytes.readUInt16BE(1), bytes.readUInt32BE(3)], [FRAME_METHOD, channel, bytes.length - 8])
      const reader = new WireReader(bytes, FRAME_HEADER_BYTES + METHOD_IDS_BYTES, bytes.length - 1)
      assert.deepEqual(readMethod(method.name, reader), method)
    }),
    { numRuns: 500 },
  )
})

test('many frames through one writer stay whole, whatever their size, and small ones share pieces', () => {
  const sizes = fc.array(
    fc.oneof(fc.integer({ min: 0, max: 300 }), fc.integer({ min: 3_000, max: 5_000 }), fc.integer({ min: 60_000, max: 130_000 })),
  )
  fc.assert(
    fc.property(sizes, (payloadSizes) => {
      const writer = new WireWriter()
      const payloads = payloadSizes.map((bytes, index) => Buffer.alloc(bytes, index + 1))
      for (const payload of payloads) writer.frame(FRAME_BODY, 1, payload)
      assert.equal(
        writer.pendingBytes,
        payloads.reduce((sum, payload) => sum + payload.length + 8, 0),
      )
      const expected = Buffer.concat(payloads.map((payload) => frame(FRAME_BODY, 1, payload)))
      assert.ok(Buffer.concat(writer.takePieces()).equals(expected))
      assert.equal(writer.pendingBytes, 0)
    }),
  )
})

test('a method frame that outgrows its slab is moved, with what its tables have written so far', () => {
  const properties = tableOf(Object.fromEntries(Array.from({ length: 400 }, (_, index) => [`key-${index}`, 'v'.repeat(250)])))
  const writer = new WireWriter()
  const args = { clientProperties: properties, mechanism: 'PLAIN', response: Buffer.from('x'), locale: 'en_US' }
  for (let index = 0; index < 3; index++) {
    writer.beginFrame(FRAME_METHOD, 0)
    writeMethod(writer, 'connection.start-ok', args)
    writer.endFrame()
  }
  const one = methodFrame(0, 'connection.start-ok', args)
  assert.ok(one.length > 65_536)
  assert.ok(Buffer.concat(writer.takePieces()).equals(Buffer.concat([one, one, one])))
})

test('frames are the same however the stream is cut into chunks', () => {
  const payloads = fc.array(fc.uint8Array({ maxLength: 200 }), { minLength: 1, maxLength: 8 })
  const cuts = fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 1, maxLength: 30 })
  fc.assert(
    fc.property(payloads, cuts, (arrays, steps) => {
      const stream = Buffer.concat(arrays.map((array, index) => frame(FRAME_BODY, index, Buffer.from(array))))
      const reader = new FrameReader(FRAME_MAX_BYTES)
      const seen: [channel: number, payload: string][] = []
      for (let at = 0, step = 0; at < stream.length; step++) {
        const length = steps[step % steps.length]!
        reader.push(stream.subarray(at, at + length))
        at += length
        for (let next = reader.next(); next !== undefined; next = reader.next()) {
          seen.push([next.channel, next.buffer.toString('hex', next.start, next.end)])
        }
      }
      assert.deepEqual(
        seen,
        arrays.map((array, index) => [index, Buffer.from(array).toString('hex')]),
      )
    }),
    { numRuns: 300 },
  )
})
