import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { generate, type Packet } from 'mqtt-packet'
import { PacketReader } from '../../../../src/protocols/mqtt/packet-reader.ts'
import { arbitraryCuts, readBytewise, readInPieces } from '../../../fixtures/pieces.ts'

const LIMIT_BYTES = 100_000

/** Packets as `head` and body in hex. */
function read(bytes: Uint8Array, cuts: readonly number[] | 'bytewise', limitBytes = LIMIT_BYTES) {
  const reader = new PacketReader(limitBytes)
  const packets: string[] = []
  const push = (data: Uint8Array, start: number, end: number) => {
    reader.push(data, start, end)
    while (reader.next()) packets.push(`${reader.head}:${Buffer.from(reader.data.subarray(reader.start, reader.end)).toString('hex')}`)
  }
  if (cuts === 'bytewise') readBytewise(bytes, push)
  else readInPieces(bytes, cuts, push)
  return { packets, fault: reader.fault }
}

/** Every length class of the remaining length up to three bytes. */
const arbitraryPublish = fc
  .record({
    topic: fc.string({ minLength: 1, maxLength: 20, unit: 'binary' }),
    payloadBytes: fc.oneof(fc.integer({ min: 0, max: 40 }), fc.constantFrom(100, 127, 128, 16_383, 16_384, 20_000)),
    qos: fc.constantFrom(0, 1),
    retain: fc.boolean(),
    messageId: fc.integer({ min: 1, max: 65_535 }),
  })
  .map(({ payloadBytes, ...rest }): Packet => ({ cmd: 'publish', dup: false, payload: Buffer.alloc(payloadBytes, 'p'), ...rest }) as Packet)

const arbitraryPacket: fc.Arbitrary<Packet> = fc.oneof(
  arbitraryPublish,
  fc.constant<Packet>({ cmd: 'pingresp' }),
  fc.constant<Packet>({ cmd: 'connack', returnCode: 0, sessionPresent: false }),
  fc.constant<Packet>({ cmd: 'suback', messageId: 1, granted: [0, 1] }),
)

test('packets written by mqtt-packet are read one by one, whatever the WebSocket messages they come in', () => {
  fc.assert(
    fc.property(fc.array(arbitraryPacket, { maxLength: 8 }), arbitraryCuts, (packets, cuts) => {
      const written = packets.map((packet) => generate(packet))
      const { packets: heard, fault } = read(Buffer.concat(written), cuts)
      assert.equal(fault, undefined)
      assert.deepEqual(
        heard.map((text) => text.split(':')[0]),
        written.map((bytes) => String(bytes[0])),
      )
      assert.deepEqual(
        heard.map((text) => text.split(':')[1]),
        written.map((bytes) => bodyOf(bytes).toString('hex')),
      )
    }),
  )
})

/** After the first byte and the remaining length. */
function bodyOf(packet: Buffer): Buffer {
  let at = 1
  while (packet[at]! >= 0x80) at++
  return packet.subarray(at + 1)
}

test('garbage never throws and means the same however it is cut', () => {
  const garbage = fc.oneof(
    fc.uint8Array({ maxLength: 200 }),
    // Valid packets with one byte changed.
    fc.tuple(fc.array(arbitraryPacket, { minLength: 1, maxLength: 4 }), fc.nat(), fc.nat(255)).map(([packets, position, byte]) => {
      const bytes = Buffer.concat(packets.map((packet) => generate(packet)))
      bytes[position % bytes.length] = byte
      return bytes
    }),
  )
  fc.assert(
    fc.property(garbage, arbitraryCuts, (bytes, cuts) => {
      const whole = read(bytes, [])
      assert.deepEqual(read(bytes, cuts), whole)
      if (bytes.length < 1_000) assert.deepEqual(read(bytes, 'bytewise'), whole)
    }),
    { numRuns: 300 },
  )
})

for (const [what, bytes, fault] of [
  [
    'a packet over the size limit fails before it is buffered',
    [0x30, 0xff, 0xff, 0xff, 0x7f],
    'sent a PUBLISH of 268435455 bytes, more than MAX_FRAME_BYTES (100000)',
  ],
  ['a length of five bytes is malformed', [0x30, 0x80, 0x80, 0x80, 0x80, 0x01], 'sent a PUBLISH whose length is malformed'],
  ['a length longer than it need be is malformed', [0xd0, 0x80, 0x00], 'sent a PINGRESP whose length is malformed'],
  ['flags that a packet does not have are refused', [0xd1, 0x00], 'sent a PINGRESP with wrong flags'],
] as const) {
  test(what, () => assert.deepEqual(read(Uint8Array.from(bytes), []), { packets: [], fault }))
}

test('after a fault nothing more is read', () => {
  const reader = new PacketReader(LIMIT_BYTES)
  reader.push(Uint8Array.from([0xd1, 0x00, 0xd0, 0x00]), 0, 4)
  assert.equal(reader.next(), false)
  reader.push(Uint8Array.from([0xd0, 0x00]), 0, 2)
  assert.equal(reader.next(), false)
})
