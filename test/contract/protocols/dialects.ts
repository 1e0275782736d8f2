/**
 * One row per dialect: the target's side of the conversation, as the bytes of its WebSocket messages. The behaviours in
 * `protocols.test.ts` are run against every row; a new dialect adds a file in `src/protocols` and a row here.
 */
import { generate, type Packet } from 'mqtt-packet'
import { createProtocol, type ProtocolSettings } from '../../../src/protocols/create-protocol.ts'
import type { FrameKind, Protocol } from '../../../src/protocols/protocol.ts'
import { createCable } from '../../fixtures/example-dialect.ts'

export interface Said {
  readonly bytes: Uint8Array
  readonly isBinary: boolean
}

export interface Dialect {
  readonly title: string
  readonly create: (settings: ProtocolSettings) => Protocol
  readonly env: Readonly<Record<string, string>>
  /** What clients subscribe to. */
  readonly stream: string
  /** From open to ready: the client is ready after the last of these and not before. Empty: ready on open. */
  readonly welcome: readonly Said[]
  /** A refusal instead of the welcome, and what the client reports of it; undefined: the dialect knows none. */
  readonly refusal: { readonly said: readonly Said[]; readonly text: RegExp } | undefined
  /** Ends a conversation that has begun, and what the client reports of it; undefined: the dialect knows none. */
  readonly farewell: { readonly said: Said; readonly text: RegExp } | undefined
  /** What a close in place of the welcome is taken for; undefined: only a close. */
  readonly closeMeans: RegExp | undefined
  /** A message on one of the client's streams. */
  push(body: string): Said
  /** A message without a probe on a stream that the client did not ask for, and what it is counted as; undefined: the payload tells. */
  readonly otherStream: { readonly said: Said; readonly counted: FrameKind } | undefined
  /** What the target says when it is beaten at (or of its own accord), and what that is counted as; undefined: the dialect knows none. */
  readonly beat: { readonly said: Said; readonly counted: FrameKind } | undefined
  /** Whether the client itself beats. */
  readonly beats: boolean
  /** Bytes that break the dialect fail the client; otherwise they are counted as other. */
  readonly isStrict: boolean
}

const text = (content: string): Said => ({ bytes: Buffer.from(content), isBinary: false })
const mqtt = (packet: object, protocolVersion = 4): Said => ({ bytes: generate(packet as Packet, { protocolVersion }), isBinary: true })
const publish = (topic: string, payload: string) => ({ cmd: 'publish', topic, payload, qos: 0, dup: false, retain: false })

const login = { PROTOCOL_USER: 'guest', PROTOCOL_PASSWORD: 'guest' }
const mqttRow = {
  stream: 'a/b',
  closeMeans: /^CONNECT was answered with close 1002: nope$/,
  otherStream: undefined,
  beats: true,
  isStrict: true,
}

export const dialects: readonly Dialect[] = [
  {
    title: 'rango',
    create: createProtocol,
    env: { PROTOCOL: 'rango' },
    stream: 'public.x',
    welcome: [text('{"success":{"message":"subscribed","streams":["public.x"]}}')],
    refusal: { said: [text('{"success":{"message":"cannot subscribe to public.x"}}')], text: /cannot subscribe/ },
    farewell: undefined,
    closeMeans: undefined,
    push: (body) => text(`{"public.x":${JSON.stringify(body)}}`),
    otherStream: { said: text('{"public.y":{}}'), counted: 'other-stream' },
    beat: { said: text('ping'), counted: 'heartbeat' },
    beats: false,
    isStrict: false,
  },
  {
    title: 'plain',
    create: createProtocol,
    env: { PROTOCOL: 'plain', PLAIN_READY: '^hello' },
    stream: 'any',
    welcome: [text('hello there')],
    refusal: undefined,
    farewell: undefined,
    closeMeans: undefined,
    push: text,
    otherStream: undefined,
    beat: undefined,
    beats: false,
    isStrict: false,
  },
  {
    title: 'mqtt 3.1.1',
    create: createProtocol,
    env: { PROTOCOL: 'mqtt', ...login },
    ...mqttRow,
    welcome: [mqtt({ cmd: 'connack', returnCode: 0, sessionPresent: false }), mqtt({ cmd: 'suback', messageId: 1, granted: [0] })],
    refusal: { said: [mqtt({ cmd: 'connack', returnCode: 5, sessionPresent: false })], text: /not authorized \(5\)/ },
    farewell: undefined,
    push: (body) => mqtt(publish('a/b', body)),
    beat: { said: mqtt({ cmd: 'pingresp' }), counted: 'pong' },
  },
  {
    title: 'mqtt 5',
    create: createProtocol,
    env: { PROTOCOL: 'mqtt', ...login, MQTT_VERSION: '5', MQTT_QOS: '1' },
    ...mqttRow,
    welcome: [mqtt({ cmd: 'connack', reasonCode: 0, sessionPresent: false }, 5), mqtt({ cmd: 'suback', messageId: 1, granted: [1] }, 5)],
    refusal: { said: [mqtt({ cmd: 'connack', reasonCode: 135, sessionPresent: false }, 5)], text: /not authorized \(135\)/ },
    farewell: { said: mqtt({ cmd: 'disconnect', reasonCode: 139 }, 5), text: /server shutting down \(139\)/ },
    push: (body) => mqtt({ ...publish('a/b', body), qos: 1, messageId: 7, properties: { contentType: 'text/plain' } }, 5),
    beat: { said: mqtt({ cmd: 'pingresp' }, 5), counted: 'pong' },
  },
  {
    title: 'stomp',
    create: createProtocol,
    env: { PROTOCOL: 'stomp', ...login },
    stream: '/topic/a.b',
    welcome: [text('CONNECTED\nversion:1.2\nheart-beat:1000,1000\n\n\0\n'), text('RECEIPT\nreceipt-id:subscription-0\n\n\0\n')],
    refusal: { said: [text('ERROR\nmessage:Bad CONNECT\n\nAccess refused\0\n')], text: /Bad CONNECT: Access refused/ },
    farewell: { said: text('ERROR\nmessage:gone\n\n\0\n'), text: /ERROR: gone/ },
    closeMeans: /^CONNECT was answered with close 1002: nope$/,
    push: (body) => text(`MESSAGE\nsubscription:0\ncontent-length:${Buffer.byteLength(body)}\n\n${body}\0\n`),
    otherStream: undefined,
    beat: { said: text('\n'), counted: 'heartbeat' },
    beats: true,
    isStrict: true,
  },
  {
    title: "of CONTRIBUTING's worked example",
    create: createCable,
    env: {},
    stream: 'public.x',
    welcome: [text('{"type":"welcome"}'), text(JSON.stringify({ identifier: '{"channel":"public.x"}', type: 'confirm_subscription' }))],
    refusal: { said: [text('{"identifier":"x","type":"reject_subscription"}')], text: /the subscription to x was rejected/ },
    farewell: undefined,
    closeMeans: undefined,
    push: (body) => text(JSON.stringify({ identifier: '{"channel":"public.x"}', message: body })),
    otherStream: undefined,
    beat: { said: text('{"type":"ping","message":1764000000}'), counted: 'heartbeat' },
    beats: false,
    isStrict: false,
  },
]
