/**
 * The header of a frame (RFC 6455 §5.2) and what a server may write into it. Pure; numbers in, numbers and sentences out.
 */
export const FIN = 0x80
const RESERVED = 0x70
export const MASK = 0x80
export const OPCODE_BITS = 0x0f
const LENGTH_BITS = 0x7f

export const Opcode = { continuation: 0x0, text: 0x1, binary: 0x2, close: 0x8, ping: 0x9, pong: 0xa } as const

export const LONGEST_CONTROL_PAYLOAD = 125
export const LENGTH_IN_2_BYTES = 126
export const LENGTH_IN_8_BYTES = 127
const TWO_TO_32 = 0x1_0000_0000

/** How long the header is that begins with a byte pair whose second is `second`, as servers send it (without a mask). */
export function headerBytes(second: number): number {
  const length = second & LENGTH_BITS
  if (length < LENGTH_IN_2_BYTES) return 2
  return length === LENGTH_IN_2_BYTES ? 4 : 10
}

/** The payload length of the frame whose whole header is at `at`. Lengths of 2^53 and more lose their last bits: too long anyway. */
export function payloadBytes(data: Uint8Array, at: number): number {
  const length = data[at + 1]! & LENGTH_BITS
  if (length < LENGTH_IN_2_BYTES) return length
  if (length === LENGTH_IN_2_BYTES) return (data[at + 2]! << 8) | data[at + 3]!
  return uint32(data, at + 2) * TWO_TO_32 + uint32(data, at + 6)
}

/** What is wrong with the first two bytes of a server's frame, or undefined. `isInMessage`: a fragmented message is not complete. */
export function headerFault(first: number, second: number, isInMessage: boolean): string | undefined {
  const opcode = first & OPCODE_BITS
  if ((first & RESERVED) !== 0) return 'reserved bits are set'
  if ((second & MASK) !== 0) return 'a masked frame'
  if (opcode === Opcode.continuation) return isInMessage ? undefined : 'a continuation of no message'
  if (opcode <= Opcode.binary) return isInMessage ? 'a message inside a fragmented one' : undefined
  if (opcode < Opcode.close || opcode > Opcode.pong) return `unknown opcode ${opcode}`
  if ((first & FIN) === 0) return 'a control frame in fragments'
  if (second > LONGEST_CONTROL_PAYLOAD) return 'a control frame that is too long'
  return opcode === Opcode.close && second === 1 ? 'a close frame of one byte' : undefined
}

/** Close codes that a frame may carry (RFC 6455 §7.4). */
export const isCloseCode = (code: number): boolean =>
  (code >= 1000 && code <= 1014 && code !== 1004 && code !== 1005 && code !== 1006) || (code >= 3000 && code <= 4999)

const uint32 = (data: Uint8Array, at: number): number =>
  ((data[at]! << 24) | (data[at + 1]! << 16) | (data[at + 2]! << 8) | data[at + 3]!) >>> 0
