import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { generate, type Packet, parser } from 'mqtt-packet'
import { createMqtt, type MqttSettings } from '../../../../src/protocols/mqtt/mqtt.ts'
import { RecordingPort } from '../../../doubles/recording-port.ts'
import { arbitraryCuts, readInPieces } from '../../../fixtures/pieces.ts'

const settings: MqttSettings = {
  wsHeaders: [],
  wsToken: undefined,
  wsSubprotocol: undefined,
  mqttVersion: '3.1.1',
  mqttClientId: 'ff-{{run}}-{{index}}',
  mqttQos: 0,
  protocolUser: 'user{{index}}',
  protocolPassword: 'secret',
  protocolKeepAliveS: 60,
  maxFrameBytes: 1_000,
}
const identity = { client: 7, replica: 0, runId: 'k3v9q2x1', streams: ['a/b', 'c/d'] }

const CONNACK: Packet = { cmd: 'connack', returnCode: 0, reasonCode: 0, sessionPresent: false }
const SUBACK: Packet = { cmd: 'suback', messageId: 1, granted: [0, 0] }
const publish = (payload: string, more: object = {}) =>
  ({ cmd: 'publish', topic: 'a/b', payload, qos: 0, dup: false, retain: false, ...more }) as Packet

function openSession(more: Partial<MqttSettings> = {}, streams = identity.streams) {
  const all = { ...settings, ...more }
  const protocolVersion = all.mqttVersion === '5' ? 5 : 4
  const session = createMqtt(all).session({ ...identity, streams })
  const port = new RecordingPort()
  session.opened(port)
  return {
    session,
    port,
    hear(...packets: (Packet | Uint8Array)[]) {
      const bytes = Buffer.concat(packets.map((packet) => (packet instanceof Uint8Array ? packet : generate(packet, { protocolVersion }))))
      session.frame(bytes, 0, bytes.length, true, port)
    },
    /** What was said so far, as mqtt-packet reads it. */
    said(): Packet[] {
      const packets: Packet[] = []
      const reference = parser({ protocolVersion })
      reference.on('packet', (packet) => packets.push(packet))
      for (const bytes of port.sent) reference.parse(Buffer.from(bytes as Uint8Array))
      return packets
    },
  }
}

describe('a session of MQTT', () => {
  test('says who it is, subscribes to all streams at once, and is ready when they are granted', () => {
    const { port, hear, said } = openSession()
    const connect = said()[0] as unknown as { clientId: string; username: string; password: Buffer; keepalive: number }
    assert.deepEqual(
      [connect.clientId, connect.username, connect.password.toString(), connect.keepalive],
      ['ff-k3v9q2x1-7', 'user7', 'secret', 60],
    )
    hear(CONNACK)
    const subscribe = said()[1] as { subscriptions: { topic: string }[] }
    assert.deepEqual(
      subscribe.subscriptions.map(({ topic }) => topic),
      ['a/b', 'c/d'],
    )
    assert.equal(port.readyCalls, 0)
    hear(SUBACK)
    assert.equal(port.readyCalls, 1)
    assert.deepEqual(port.counted, ['login', 'ack'])
  })

  test('hands over payloads, also before it is ready, and tells redelivered and retained ones apart', () => {
    const { port, hear } = openSession()
    hear(CONNACK, publish('early'), SUBACK)
    hear(publish('new'), publish('again', { qos: 1, dup: true, messageId: 5 }), publish('stored', { retain: true }))
    assert.deepEqual(port.payloads, ['early', 'new', 'again', 'stored'])
    assert.deepEqual(port.marks.slice(1), [
      { isRedelivery: false, isRetained: false },
      { isRedelivery: true, isRetained: false },
      { isRedelivery: false, isRetained: true },
    ])
  })

  test('acknowledges what came with QoS 1, and nothing else', () => {
    const { hear, said } = openSession({ mqttQos: 1 })
    hear(CONNACK, SUBACK, publish('a', { qos: 1, messageId: 513 }), publish('b'))
    assert.deepEqual(
      said()
        .slice(2)
        .map((packet) => [packet.cmd, packet.messageId]),
      [['puback', 513]],
    )
  })

  test('beats only after the login, and says goodbye', () => {
    const { session, port, hear, said } = openSession()
    session.heartbeat?.(port)
    hear(CONNACK, SUBACK)
    session.heartbeat?.(port)
    session.closing?.(port)
    assert.deepEqual(
      said().map(({ cmd }) => cmd),
      ['connect', 'subscribe', 'pingreq', 'disconnect'],
    )
    hear({ cmd: 'pingresp' })
    assert.equal(port.counted.at(-1), 'pong')
  })

  test('asks for a heartbeat twice per keep-alive, and for none when there is none', () => {
    assert.equal(createMqtt(settings).heartbeatMs, 30_000)
    assert.equal(createMqtt({ ...settings, protocolKeepAliveS: 0 }).heartbeatMs, undefined)
  })

  for (const [what, more, packets, text] of [
    ['a login by the code of 3.1.1', {}, [{ ...CONNACK, returnCode: 4 }], 'CONNECT was refused: bad user name or password (4)'],
    [
      'a login by the code of 5',
      { mqttVersion: '5' },
      [{ ...CONNACK, reasonCode: 134 }],
      'CONNECT was refused: bad user name or password (134)',
    ],
    ['one topic of two', {}, [CONNACK, { ...SUBACK, granted: [0, 128] }], 'SUBSCRIBE to c/d was refused: unspecified error (128)'],
    [
      'by DISCONNECT before it is ready',
      { mqttVersion: '5' },
      [CONNACK, { cmd: 'disconnect', reasonCode: 139 }],
      'the target disconnected: server shutting down (139)',
    ],
    [
      'the keep-alive, when it is far too long',
      { mqttVersion: '5' },
      [{ ...CONNACK, properties: { serverKeepAlive: 10 } }],
      'the target closes clients that are silent for long: set PROTOCOL_KEEPALIVE_S to 10 (it is 60)',
    ],
  ] as const) {
    test(`is refused ${what}`, () => {
      const { port, hear } = openSession(more)
      hear(...(packets as unknown as Packet[]))
      assert.deepEqual(port.refusals, [text])
      assert.equal(port.counted.at(-1), 'error')
      hear(publish('after'))
      assert.deepEqual(port.payloads, [])
    })
  }

  test('keeps to a keep-alive of the server that its beats already meet', () => {
    const { port, hear } = openSession({ mqttVersion: '5' })
    hear({ ...CONNACK, properties: { serverKeepAlive: 20 } } as Packet, SUBACK)
    assert.equal(port.readyCalls, 1)
  })

  test('is ended by a DISCONNECT once it is ready', () => {
    const { port, hear } = openSession({ mqttVersion: '5' })
    hear(CONNACK, SUBACK, { cmd: 'disconnect', reasonCode: 142 } as Packet)
    assert.deepEqual(port.endings, ['the target disconnected: session taken over (142)'])
  })

  test('takes a close in place of an answer for a refusal', () => {
    const { session, hear } = openSession()
    assert.equal(session.refusal?.('close 1002: unauthenticated'), 'CONNECT was answered with close 1002: unauthenticated')
    hear(CONNACK)
    assert.equal(session.refusal?.('close 1002'), 'SUBSCRIBE was answered with close 1002')
  })

  for (const [what, packets, text] of [
    ['a second CONNACK', [CONNACK, CONNACK], 'the target sent a CONNACK that was not due (subscribing)'],
    ['a PUBLISH before CONNACK', [publish('x')], 'the target sent a PUBLISH that was not due (connecting)'],
    ['a SUBACK for another SUBSCRIBE', [CONNACK, { ...SUBACK, messageId: 2 }], 'the target sent a malformed SUBACK'],
    ['a SUBACK that speaks of fewer topics', [CONNACK, { ...SUBACK, granted: [0] }], 'the target sent a malformed SUBACK'],
    [
      'the acknowledgement of what was never published',
      [CONNACK, { cmd: 'puback', messageId: 1 }],
      'the target sent a PUBACK that was not due (subscribing)',
    ],
    [
      'DISCONNECT, which servers of 3.1.1 do not have',
      [CONNACK, { cmd: 'disconnect' }],
      'the target sent a DISCONNECT that was not due (subscribing)',
    ],
    [
      'a PUBLISH with QoS 2',
      [CONNACK, SUBACK, publish('x', { qos: 2, messageId: 1 })],
      'the target sent a PUBLISH with QoS 2, which nobody asked for',
    ],
    [
      'a packet over the size limit',
      [CONNACK, SUBACK, publish('x'.repeat(2_000))],
      'the target sent a PUBLISH of 2005 bytes, more than MAX_FRAME_BYTES (1000)',
    ],
  ] as const) {
    test(`fails for ${what}, once`, () => {
      const { port, hear } = openSession()
      hear(...(packets as unknown as Packet[]))
      hear(Uint8Array.from([0xff, 0xff]))
      assert.deepEqual(port.failures, [text])
      assert.deepEqual(port.payloads, [])
    })
  }

  test('fails for a text frame', () => {
    const { session, port } = openSession()
    session.frame(generate(CONNACK), 0, 4, false, port)
    assert.deepEqual(port.failures, ['the target sent a text frame; MQTT is binary'])
  })

  test('hears the same payloads as mqtt-packet in any stream, cut anywhere, until one of them gives up', () => {
    const payload = fc.string({ maxLength: 20 })
    const conversation = fc
      .tuple(fc.array(payload, { maxLength: 6 }), fc.option(fc.tuple(fc.nat(), fc.nat(255))))
      .map(([payloads, change]) => {
        const bytes = Buffer.concat([CONNACK, SUBACK, ...payloads.map((text) => publish(text))].map((packet) => generate(packet)))
        if (change !== null) bytes[change[0] % bytes.length] = change[1]
        return { bytes, payloads, isChanged: change !== null }
      })
    fc.assert(
      fc.property(conversation, arbitraryCuts, ({ bytes, payloads, isChanged }, cuts) => {
        const { session, port } = openSession()
        readInPieces(bytes, cuts, (data, start, end) => session.frame(data, start, end, true, port))
        if (!isChanged) assert.deepEqual(port.payloads, payloads)
        const theirs = payloadsByReference(bytes)
        const shared = Math.min(theirs.length, port.payloads.length)
        assert.deepEqual(port.payloads.slice(0, shared), theirs.slice(0, shared))
      }),
      { numRuns: 500 },
    )
  })
})

function payloadsByReference(bytes: Buffer): string[] {
  const payloads: string[] = []
  const reference = parser()
  reference.on('packet', (packet) => {
    if (packet.cmd === 'publish') payloads.push(Buffer.from(packet.payload).toString('latin1'))
  })
  reference.on('error', () => {})
  reference.parse(bytes)
  return payloads
}

describe('the handshake of MQTT', () => {
  test('offers the subprotocol mqtt and leaves the target as it is written', () => {
    const { requestTarget, subprotocols } = createMqtt(settings).handshake('ws://127.0.0.1:15675/ws?a=b', identity)
    assert.equal(requestTarget, '/ws?a=b')
    assert.deepEqual(subprotocols, ['mqtt'])
  })
})
