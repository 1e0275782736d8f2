/**
 * Frames as a client writes them: whole and masked (RFC 6455 §5.3). It knows no sockets.
 */
import { FIN, LENGTH_IN_2_BYTES, LENGTH_IN_8_BYTES, LONGEST_CONTROL_PAYLOAD, MASK } from './frame-header.ts'
import type { RandomPool } from './random-pool.ts'

const MASK_BYTES = 4
const LONGEST_IN_2_BYTES = 0xffff

/** One per thread. */
export class FrameWriter {
  readonly #random: RandomPool

  constructor(random: RandomPool) {
    this.#random = random
  }

  /** A frame with a copy of `payload`. */
  frame(opcode: number, payload: Uint8Array): Buffer {
    const maskAt = headerBytesFor(payload.length)
    const bodyAt = maskAt + MASK_BYTES
    const frame = Buffer.allocUnsafe(bodyAt + payload.length)
    frame[0] = FIN | opcode
    writeLength(frame, payload.length)
    frame.set(this.#random.take(MASK_BYTES), maskAt)
    for (let index = 0; index < payload.length; index++) {
      frame[bodyAt + index] = payload[index]! ^ frame[maskAt + (index % MASK_BYTES)]!
    }
    return frame
  }
}

/** The payload of a close frame. */
export function closePayload(closeCode: number): Buffer {
  const payload = Buffer.allocUnsafe(2)
  payload.writeUInt16BE(closeCode)
  return payload
}

function headerBytesFor(length: number): number {
  if (length <= LONGEST_CONTROL_PAYLOAD) return 2
  return length <= LONGEST_IN_2_BYTES ? 4 : 10
}

function writeLength(frame: Buffer, length: number): void {
  if (length <= LONGEST_CONTROL_PAYLOAD) frame[1] = MASK | length
  else if (length <= LONGEST_IN_2_BYTES) {
    frame[1] = MASK | LENGTH_IN_2_BYTES
    frame.writeUInt16BE(length, 2)
  } else {
    frame[1] = MASK | LENGTH_IN_8_BYTES
    frame.writeBigUInt64BE(BigInt(length), 2)
  }
}
