/**
 * One message as several frames, with control frames between them when asked: legal, and a trap for readers that expect one
 * frame a message. Pure.
 */
import { FINAL_BIT, frameBytes, OPCODE, pingFrame } from '../frame.ts'

export interface FragmentSettings {
  /** Default 2. A message shorter than that gets as many pieces as it has bytes. */
  readonly pieces?: number
  readonly hasPingBetween?: boolean
}

export function fragmentFrames(payload: Buffer, { pieces = 2, hasPingBetween = false }: FragmentSettings): Buffer[] {
  const count = Math.max(1, Math.min(pieces, payload.length))
  const frames: Buffer[] = []
  for (let index = 0; index < count; index += 1) {
    const piece = payload.subarray(Math.floor((payload.length * index) / count), Math.floor((payload.length * (index + 1)) / count))
    const opcode = index === 0 ? OPCODE.text : OPCODE.continuation
    if (index > 0 && hasPingBetween) frames.push(pingFrame(Buffer.from('between')))
    frames.push(frameBytes(index === count - 1 ? FINAL_BIT | opcode : opcode, piece))
  }
  return frames
}
