import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { generate, type Packet } from 'mqtt-packet'
import { readConnack, readDisconnect, readSuback } from '../../../../src/protocols/mqtt/answers.ts'
import { readProperties } from '../../../../src/protocols/mqtt/properties.ts'

/** The body of a packet that mqtt-packet writes; all of them are short. */
const body = (packet: object, protocolVersion = 4) => generate(packet as Packet, { protocolVersion }).subarray(2)
const bytes = (...values: number[]) => Uint8Array.from(values)

test('an accepted CONNACK refuses nothing', () => {
  const accepted = body({ cmd: 'connack', returnCode: 0, sessionPresent: false })
  assert.deepEqual(readConnack('3.1.1', accepted, 0, accepted.length), { refusal: undefined, serverKeepAliveS: undefined })
})

test('refusals of 3.1.1 are named', () => {
  for (const [code, refusal] of [
    [1, 'unacceptable protocol version (1)'],
    [4, 'bad user name or password (4)'],
    [5, 'not authorized (5)'],
    [77, 'unknown reason (77)'],
  ] as const) {
    assert.equal(readConnack('3.1.1', bytes(0, code), 0, 2)?.refusal, refusal)
  }
})

test('refusals of 5 are named, with what the server says about them', () => {
  const connack = body(
    {
      cmd: 'connack',
      reasonCode: 135,
      sessionPresent: false,
      properties: { reasonString: 'ask the owner', userProperties: { a: 'b' }, receiveMaximum: 9 },
    },
    5,
  )
  assert.equal(readConnack('5', connack, 0, connack.length)?.refusal, 'not authorized (135): ask the owner')
})

test('a server of 3.1.1 that is asked for 5 refuses in its own form', () => {
  assert.equal(readConnack('5', bytes(0, 1), 0, 2)?.refusal, 'unacceptable protocol version (1)')
})

test('the keep-alive a server of 5 asks for is handed over', () => {
  const connack = body(
    { cmd: 'connack', reasonCode: 0, sessionPresent: false, properties: { serverKeepAlive: 7, topicAliasMaximum: 3 } },
    5,
  )
  assert.equal(readConnack('5', connack, 0, connack.length)?.serverKeepAliveS, 7)
})

for (const [what, version, packet] of [
  ['flags that are not defined', '3.1.1', bytes(2, 0)],
  ['a session that a clean start rules out', '3.1.1', bytes(1, 0)],
  ['a byte too many', '3.1.1', bytes(0, 0, 0)],
  ['a byte too few', '3.1.1', bytes(0)],
  ['version 5 without properties', '5', bytes(0, 0)],
  ['properties that are longer than the packet', '5', bytes(0, 0, 5, 33, 0)],
  ['an unknown property', '5', bytes(0, 0, 2, 200, 0)],
  ['bytes after the properties', '5', bytes(0, 0, 0, 9)],
] as const) {
  test(`a CONNACK with ${what} is malformed`, () => assert.equal(readConnack(version, packet, 0, packet.length), undefined))
}

test('a SUBACK tells for each topic whether it was granted', () => {
  const suback = body({ cmd: 'suback', messageId: 1, granted: [0, 128, 1] })
  assert.deepEqual(readSuback('3.1.1', suback, 0, suback.length), {
    packetId: 1,
    refusals: [undefined, 'unspecified error (128)', undefined],
  })
  const ofFive = body({ cmd: 'suback', messageId: 9, granted: [135], properties: { reasonString: 'no' } }, 5)
  assert.deepEqual(readSuback('5', ofFive, 0, ofFive.length), { packetId: 9, refusals: ['not authorized (135): no'] })
})

test('a SUBACK with a code between granted and refused is malformed', () => {
  assert.equal(readSuback('3.1.1', bytes(0, 1, 3), 0, 3), undefined)
})

test('a DISCONNECT of 5 tells why', () => {
  const disconnect = body({ cmd: 'disconnect', reasonCode: 142 }, 5)
  assert.equal(readDisconnect(disconnect, 0, disconnect.length), 'session taken over (142)')
  assert.equal(readDisconnect(bytes(), 0, 0), 'normal disconnection (0)')
})

test('whatever stands where properties should be, reading them neither throws nor goes past the end', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 40 }), (packet) => {
      const properties = readProperties(packet, 0, packet.length)
      assert.ok(properties === undefined || properties.next <= packet.length)
      for (const version of ['3.1.1', '5'] as const) {
        readConnack(version, packet, 0, packet.length)
        readSuback(version, packet, 0, packet.length)
      }
      readDisconnect(packet, 0, packet.length)
    }),
    { numRuns: 1_000 },
  )
})
