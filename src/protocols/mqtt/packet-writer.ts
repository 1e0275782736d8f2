/**
 * Writes the packets a subscriber says: CONNECT, SUBSCRIBE, PUBACK, PINGREQ, DISCONNECT, for 3.1.1 and 5. Pure bytes; what
 * is worth saying is the session's business.
 */
import { FanfareError } from '../../errors.ts'
import { fixedFlags, PacketType } from './packet-type.ts'
import { variableInt } from './variable-int.ts'

export type MqttVersion = '3.1.1' | '5'

export interface ConnectFields {
  readonly clientId: string
  readonly user: string | undefined
  readonly password: string | undefined
  /** 0: the server closes no silent client. */
  readonly keepAliveS: number
}

const PROTOCOL_LEVEL: Readonly<Record<MqttVersion, number>> = { '3.1.1': 4, '5': 5 }
/** A session of an earlier connection would bring probes of an earlier run. */
const CLEAN_START = 0x02
const HAS_PASSWORD = 0x40
const HAS_USER = 0x80
const MAX_STRING_BYTES = 65_535

export function connectPacket(version: MqttVersion, { clientId, user, password, keepAliveS }: ConnectFields): Uint8Array {
  const flags = CLEAN_START | (user === undefined ? 0 : HAS_USER) | (password === undefined ? 0 : HAS_PASSWORD)
  return packet(PacketType.connect, [
    ...string('MQTT', 'protocol name'),
    PROTOCOL_LEVEL[version],
    flags,
    ...uint16(keepAliveS),
    ...noProperties(version),
    ...string(clientId, 'MQTT_CLIENT_ID'),
    ...(user === undefined ? [] : string(user, 'PROTOCOL_USER')),
    ...(password === undefined ? [] : string(password, 'PROTOCOL_PASSWORD')),
  ])
}

/** One SUBSCRIBE for all topics, each with `qos` 0 or 1; `packetId` comes back in the SUBACK. */
export function subscribePacket(version: MqttVersion, packetId: number, topics: readonly string[], qos: number): Uint8Array {
  const filters = topics.flatMap((topic) => [...string(topic, 'STREAM'), qos])
  return packet(PacketType.subscribe, [...uint16(packetId), ...noProperties(version), ...filters])
}

/** The same in both versions: 5 leaves the reason out when it is success. */
export const pubackPacket = (packetId: number): Uint8Array => Uint8Array.of(PacketType.puback << 4, 2, packetId >> 8, packetId & 0xff)

export const pingreqPacket = (): Uint8Array => packet(PacketType.pingreq, [])

/** The same in both versions: 5 leaves the reason out when it is normal. */
export const disconnectPacket = (): Uint8Array => packet(PacketType.disconnect, [])

const packet = (type: number, body: readonly number[]): Uint8Array =>
  Uint8Array.from([(type << 4) | fixedFlags(type), ...variableInt(body.length), ...body])

const uint16 = (value: number): number[] => [value >> 8, value & 0xff]

const noProperties = (version: MqttVersion): number[] => (version === '5' ? [0] : [])

/** A string with its length before it. Throws `settings-invalid`, naming `setting` and never its value, which may be a secret. */
function string(text: string, setting: string): number[] {
  const bytes = Buffer.from(text, 'utf8')
  if (bytes.length <= MAX_STRING_BYTES && !text.includes('\0')) return [...uint16(bytes.length), ...bytes]
  throw new FanfareError(
    'settings-invalid',
    `Expected \`${setting}\` to be at most ${MAX_STRING_BYTES} bytes without NUL characters, got ${bytes.length} bytes`,
  )
}
