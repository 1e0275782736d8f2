/**
 * What clients send: masked frames, read under rango's limit of 512 bytes a message. Faults end the conversation with a
 * close code. Holds bytes for a client only while a frame or message of its is incomplete.
 */
import { FINAL_BIT, OPCODE } from './frame.ts'

/** rango's read limit for one message, all fragments together. */
export const INBOUND_LIMIT_BYTES = 512

const CONTROL_OPCODES = 0x8
const RESERVED_BITS = 0x70
const MASK_BIT = 0x80
const MASK_BYTES = 4
const LENGTH_16 = 126
const LENGTH_64 = 127
const CONTROL_LIMIT_BYTES = 125

export const CLOSE_CODE = { normal: 1000, goingAway: 1001, protocolError: 1002, tooBig: 1009 } as const

/** A client whose frames are being read. */
export interface Sender {
  /** Bytes of a frame whose rest has not arrived. */
  partialFrame: Buffer | undefined
  /** Payloads of a fragmented message so far. */
  fragments: Buffer[] | undefined
}

export interface InboundHandler<S extends Sender> {
  /** One whole text or binary message; rango does not tell them apart. */
  message(sender: S, payload: Buffer): void
  ping(sender: S, payload: Buffer): void
  pong(sender: S, payload: Buffer): void
  /** `code` is undefined when the frame had none. Nothing is read after it. */
  close(sender: S, code: number | undefined): void
  /** The bytes broke RFC 6455 or the limit. Nothing is read after it. */
  fault(sender: S, code: number, reason: string): void
}

/** Reads all whole frames out of what has arrived and keeps the rest. Never throws, whatever the bytes are. */
export function readInbound<S extends Sender>(sender: S, chunk: Buffer, handler: InboundHandler<S>): void {
  let rest = sender.partialFrame === undefined ? chunk : Buffer.concat([sender.partialFrame, chunk])
  sender.partialFrame = undefined
  while (rest.length > 0) {
    const head = readHead(rest)
    if (head === undefined) break
    if ('fault' in head) {
      handler.fault(sender, head.code, head.fault)
      return
    }
    const endByte = head.headBytes + head.payloadBytes
    if (rest.length < endByte) break
    const payload = unmask(rest.subarray(head.headBytes - MASK_BYTES, endByte))
    rest = rest.subarray(endByte)
    if (!handleFrame(sender, head, payload, handler)) return
  }
  if (rest.length > 0) sender.partialFrame = Buffer.from(rest)
}

interface FrameHead {
  readonly isFinal: boolean
  readonly opcode: number
  readonly headBytes: number
  readonly payloadBytes: number
}

const wrong = (fault: string) => ({ code: CLOSE_CODE.protocolError, fault })

function readHead(bytes: Buffer): FrameHead | { code: number; fault: string } | undefined {
  if (bytes.length < 2) return undefined
  const first = bytes[0] as number
  const second = bytes[1] as number
  const opcode = first & 0x0f
  if ((first & RESERVED_BITS) !== 0) return wrong('reserved bits are set')
  if ((second & MASK_BIT) === 0) return wrong('the frame is not masked')
  if (opcode > OPCODE.pong || (opcode > OPCODE.binary && opcode < OPCODE.close)) return wrong('the opcode is unknown')
  const shortLength = second & 0x7f
  const isControl = (opcode & CONTROL_OPCODES) !== 0
  if (isControl && (shortLength > CONTROL_LIMIT_BYTES || (first & FINAL_BIT) === 0)) return wrong('the control frame is long or fragmented')
  if (shortLength === LENGTH_64) return { code: CLOSE_CODE.tooBig, fault: '' }
  if (shortLength === LENGTH_16 && bytes.length < 4) return undefined
  const payloadBytes = shortLength === LENGTH_16 ? bytes.readUInt16BE(2) : shortLength
  if (payloadBytes > INBOUND_LIMIT_BYTES) return { code: CLOSE_CODE.tooBig, fault: '' }
  const headBytes = (shortLength === LENGTH_16 ? 4 : 2) + MASK_BYTES
  return { isFinal: (first & FINAL_BIT) !== 0, opcode, headBytes, payloadBytes }
}

function unmask(maskAndPayload: Buffer): Buffer {
  const payload = Buffer.from(maskAndPayload.subarray(MASK_BYTES))
  for (let index = 0; index < payload.length; index += 1)
    payload[index] = (payload[index] as number) ^ (maskAndPayload[index % MASK_BYTES] as number)
  return payload
}

/** Returns whether reading goes on. */
function handleFrame<S extends Sender>(sender: S, head: FrameHead, payload: Buffer, handler: InboundHandler<S>): boolean {
  if (head.opcode === OPCODE.ping) handler.ping(sender, payload)
  else if (head.opcode === OPCODE.pong) handler.pong(sender, payload)
  else if (head.opcode === OPCODE.close) {
    handler.close(sender, payload.length >= 2 ? payload.readUInt16BE(0) : undefined)
    return false
  } else return handleData(sender, head, payload, handler)
  return true
}

function handleData<S extends Sender>(sender: S, head: FrameHead, payload: Buffer, handler: InboundHandler<S>): boolean {
  const isContinuation = head.opcode === OPCODE.continuation
  if (isContinuation !== (sender.fragments !== undefined)) {
    handler.fault(sender, CLOSE_CODE.protocolError, 'a continuation is missing or out of place')
    return false
  }
  if (head.isFinal && sender.fragments === undefined) {
    handler.message(sender, payload)
    return true
  }
  const fragments = [...(sender.fragments ?? []), payload]
  if (fragments.reduce((bytes, fragment) => bytes + fragment.length, 0) > INBOUND_LIMIT_BYTES) {
    handler.fault(sender, CLOSE_CODE.tooBig, '')
    return false
  }
  sender.fragments = head.isFinal ? undefined : fragments
  if (head.isFinal) handler.message(sender, Buffer.concat(fragments))
  return true
}
