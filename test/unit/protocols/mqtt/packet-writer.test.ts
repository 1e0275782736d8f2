import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { type Packet, parser } from 'mqtt-packet'
import { FanfareError } from '../../../../src/errors.ts'
import {
  connectPacket,
  disconnectPacket,
  type MqttVersion,
  pingreqPacket,
  pubackPacket,
  subscribePacket,
} from '../../../../src/protocols/mqtt/packet-writer.ts'
import { readVariableInt, variableInt, variableIntBytes } from '../../../../src/protocols/mqtt/variable-int.ts'

const versions: readonly MqttVersion[] = ['3.1.1', '5']
const level = (version: MqttVersion) => (version === '5' ? 5 : 4)

/** What mqtt-packet reads in our bytes. */
function parsed(version: MqttVersion, bytes: Uint8Array): Record<string, unknown> {
  const packets: Packet[] = []
  const reference = parser({ protocolVersion: level(version) })
  reference.on('packet', (packet) => packets.push(packet))
  assert.equal(reference.parse(Buffer.from(bytes)), 0, 'bytes are left over')
  assert.equal(packets.length, 1)
  return packets[0] as unknown as Record<string, unknown>
}

const text = fc.string({ maxLength: 60, unit: 'grapheme' })

test('mqtt-packet reads the CONNECT that was meant', () => {
  fc.assert(
    fc.property(
      fc.constantFrom(...versions),
      text,
      fc.option(text),
      fc.option(text),
      fc.nat(65_535),
      (version, clientId, user, password, keepAliveS) => {
        // 3.1.1 has no password without a user.
        const given = { user: user ?? undefined, password: version === '3.1.1' && user === null ? undefined : (password ?? undefined) }
        const packet = parsed(version, connectPacket(version, { clientId, keepAliveS, ...given }))
        assert.equal(packet.cmd, 'connect')
        assert.equal(packet.protocolId, 'MQTT')
        assert.equal(packet.protocolVersion, level(version))
        assert.equal(packet.clean, true)
        assert.equal(packet.keepalive, keepAliveS)
        assert.equal(packet.clientId, clientId)
        assert.equal(packet.username, given.user)
        assert.equal(packet.password?.toString(), given.password)
      },
    ),
  )
})

test('mqtt-packet reads the SUBSCRIBE that was meant', () => {
  const topics = fc.array(fc.string({ minLength: 1, maxLength: 200 }), { minLength: 1, maxLength: 5 })
  fc.assert(
    fc.property(
      fc.constantFrom(...versions),
      fc.integer({ min: 1, max: 65_535 }),
      topics,
      fc.constantFrom(0, 1),
      (version, id, names, qos) => {
        const packet = parsed(version, subscribePacket(version, id, names, qos))
        assert.equal(packet.messageId, id)
        const subscriptions = packet.subscriptions as { topic: string; qos: number }[]
        assert.deepEqual(
          subscriptions.map((subscription) => [subscription.topic, subscription.qos]),
          names.map((name) => [name, qos]),
        )
      },
    ),
  )
})

test('the small packets are read by mqtt-packet in both versions', () => {
  for (const version of versions) {
    assert.equal(parsed(version, pubackPacket(40_000)).messageId, 40_000)
    assert.equal(parsed(version, pingreqPacket()).cmd, 'pingreq')
    assert.equal(parsed(version, disconnectPacket()).cmd, 'disconnect')
  }
})

test('a variable byte integer is read as it was written, in the bytes it was said to take', () => {
  fc.assert(
    fc.property(fc.nat(268_435_455), (value) => {
      const bytes = Uint8Array.from(variableInt(value))
      assert.equal(readVariableInt(bytes, 0, bytes.length), value)
      assert.equal(variableIntBytes(value), bytes.length)
    }),
  )
})

test('a string that MQTT cannot carry is refused by the name of its setting, never by its value', () => {
  const secret = `${'s3cret'.repeat(11_000)}`
  const fields = { clientId: 'c', user: 'u', password: secret, keepAliveS: 60 }
  assert.throws(
    () => connectPacket('3.1.1', fields),
    (error: FanfareError) =>
      error.code === 'settings-invalid' && /PROTOCOL_PASSWORD/.test(error.message) && !error.message.includes('s3cret'),
  )
  assert.throws(() => connectPacket('3.1.1', { ...fields, password: 'a\0b' }), FanfareError)
})
