/** Numbers of MQTT control packets (MQTT 5.0 §2.1.2; 3.1.1 has all but AUTH): the upper half of a packet's first byte. */

export const PacketType = {
  connect: 1,
  connack: 2,
  publish: 3,
  puback: 4,
  pubrel: 6,
  subscribe: 8,
  suback: 9,
  unsubscribe: 10,
  pingreq: 12,
  pingresp: 13,
  disconnect: 14,
} as const

const NAMES = [
  'reserved packet type 0',
  'CONNECT',
  'CONNACK',
  'PUBLISH',
  'PUBACK',
  'PUBREC',
  'PUBREL',
  'PUBCOMP',
  'SUBSCRIBE',
  'SUBACK',
  'UNSUBSCRIBE',
  'UNSUBACK',
  'PINGREQ',
  'PINGRESP',
  'DISCONNECT',
  'AUTH',
] as const

/** The name of the packet that starts with `head`, for complaints. */
export const packetName = (head: number): string => NAMES[(head >> 4) & 0x0f]!

/** The lower half of the first byte of every packet but PUBLISH (§2.1.3). */
export const fixedFlags = (type: number): number =>
  type === PacketType.pubrel || type === PacketType.subscribe || type === PacketType.unsubscribe ? 0b0010 : 0
