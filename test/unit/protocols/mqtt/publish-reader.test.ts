import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { generate, type Packet } from 'mqtt-packet'
import { PacketReader } from '../../../../src/protocols/mqtt/packet-reader.ts'
import type { MqttVersion } from '../../../../src/protocols/mqtt/packet-writer.ts'
import { PublishReader } from '../../../../src/protocols/mqtt/publish-reader.ts'

const arbitraryPublish = fc.record({
  topic: fc.string({ minLength: 1, maxLength: 30 }),
  payload: fc.uint8Array({ maxLength: 50 }).map((bytes) => Buffer.from(bytes)),
  qos: fc.constantFrom(0, 1),
  dup: fc.boolean(),
  retain: fc.boolean(),
  messageId: fc.integer({ min: 1, max: 65_535 }),
})
const arbitraryProperties = fc.record(
  {
    messageExpiryInterval: fc.nat(),
    contentType: fc.string({ maxLength: 10 }),
    correlationData: fc.uint8Array({ maxLength: 10 }).map((bytes) => Buffer.from(bytes)),
    userProperties: fc.dictionary(fc.string({ maxLength: 5 }), fc.string({ maxLength: 5 }), { minKeys: 1, noNullPrototype: true }),
    subscriptionIdentifier: fc.integer({ min: 1, max: 268_435_455 }),
  },
  { requiredKeys: [] },
)

test('what mqtt-packet publishes is read in place, in both versions', () => {
  fc.assert(
    fc.property(arbitraryPublish, arbitraryProperties, fc.constantFrom<MqttVersion>('3.1.1', '5'), (publish, properties, version) => {
      const dup = publish.dup && publish.qos > 0
      const packet = { cmd: 'publish', ...publish, dup, ...(version === '5' && { properties }) } as Packet
      const bytes = generate(packet, { protocolVersion: version === '5' ? 5 : 4 })
      const packets = new PacketReader(bytes.length)
      packets.push(bytes, 0, bytes.length)
      assert.ok(packets.next())

      const reader = new PublishReader(version)
      assert.equal(reader.read(packets.head, packets.data, packets.start, packets.end), undefined)
      assert.equal(bytes.subarray(reader.topicStart, reader.topicEnd).toString(), publish.topic)
      assert.deepEqual(bytes.subarray(reader.payloadStart, packets.end), publish.payload)
      assert.deepEqual(
        [reader.qos, reader.packetId, reader.isRedelivery, reader.isRetained],
        [publish.qos, publish.qos === 0 ? 0 : publish.messageId, dup, publish.retain],
      )
    }),
  )
})

const QOS_0 = 0x30
const QOS_1 = 0x32
for (const [what, version, head, body, fault] of [
  ['QoS 2, which was never granted', '3.1.1', 0x34, [0, 1, 97, 0, 1], 'with QoS 2, which nobody asked for'],
  ['both QoS bits', '3.1.1', 0x36, [0, 1, 97, 0, 1], 'with QoS 3, which nobody asked for'],
  ['DUP without QoS', '3.1.1', 0x38, [0, 1, 97], 'with QoS 0 and the DUP flag'],
  ['nothing in it', '3.1.1', QOS_0, [], 'that ends in its topic'],
  ['a topic longer than itself', '3.1.1', QOS_0, [0, 5, 97], 'that ends in its topic'],
  ['an empty topic, which would be an alias', '5', QOS_0, [0, 0, 0], 'without a topic'],
  ['no room for its packet id', '3.1.1', QOS_1, [0, 1, 97, 1], 'that ends in its packet id'],
  ['packet id 0', '3.1.1', QOS_1, [0, 1, 97, 0, 0], 'with packet id 0'],
  ['no properties where 5 has them', '5', QOS_0, [0, 1, 97], 'with malformed properties'],
  ['properties longer than itself', '5', QOS_0, [0, 1, 97, 3, 1], 'that ends in its properties'],
] as const) {
  test(`a PUBLISH with ${what} is refused`, () => {
    const data = Uint8Array.from(body)
    assert.equal(new PublishReader(version).read(head, data, 0, data.length), fault)
  })
}
