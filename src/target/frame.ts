/**
 * Server-side WebSocket frames (RFC 6455): unmasked bytes ready to be written. A frame is built once and shared by every
 * client that gets it. Knows nothing of sockets, probes or habits.
 */

export const OPCODE = { continuation: 0x0, text: 0x1, binary: 0x2, close: 0x8, ping: 0x9, pong: 0xa } as const

export const FINAL_BIT = 0x80
const SHORT_LENGTH_MAX = 125
const LENGTH_16 = 126
const LENGTH_64 = 127
const LENGTH_16_MAX = 0xffff
const CLOSE_REASON_MAX_BYTES = 123

/** One frame. `firstByte` carries FIN, the reserved bits and the opcode, so that broken frames can be built as well. */
export function frameBytes(firstByte: number, payload: Uint8Array): Buffer {
  const headBytes = payload.length <= SHORT_LENGTH_MAX ? 2 : payload.length <= LENGTH_16_MAX ? 4 : 10
  const bytes = Buffer.allocUnsafe(headBytes + payload.length)
  bytes[0] = firstByte
  if (headBytes === 2) bytes[1] = payload.length
  else if (headBytes === 4) {
    bytes[1] = LENGTH_16
    bytes.writeUInt16BE(payload.length, 2)
  } else {
    bytes[1] = LENGTH_64
    bytes.writeBigUInt64BE(BigInt(payload.length), 2)
  }
  bytes.set(payload, headBytes)
  return bytes
}

export const textFrame = (text: string): Buffer => frameBytes(FINAL_BIT | OPCODE.text, Buffer.from(text))
export const binaryFrame = (payload: Uint8Array): Buffer => frameBytes(FINAL_BIT | OPCODE.binary, payload)
export const pingFrame = (payload: Uint8Array = Buffer.alloc(0)): Buffer => frameBytes(FINAL_BIT | OPCODE.ping, payload)
export const pongFrame = (payload: Uint8Array): Buffer => frameBytes(FINAL_BIT | OPCODE.pong, payload)

/** A close frame; without a code its body is empty. A reason longer than a control frame may hold is cut. */
export function closeFrame(code?: number, reason = ''): Buffer {
  if (code === undefined) return frameBytes(FINAL_BIT | OPCODE.close, Buffer.alloc(0))
  const text = Buffer.from(reason).subarray(0, CLOSE_REASON_MAX_BYTES)
  const payload = Buffer.alloc(2 + text.length)
  payload.writeUInt16BE(code, 0)
  payload.set(text, 2)
  return frameBytes(FINAL_BIT | OPCODE.close, payload)
}
