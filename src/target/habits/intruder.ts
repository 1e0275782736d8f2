/**
 * Bytes that are none of this client's probes: frames without a probe, frames that break RFC 6455, and probes of others. Pure.
 */
import { streamText, writeToken } from '../../probe/codec.ts'
import { RUN_CHARACTERS, STREAM_CHARACTERS, TOKEN_MARK, WARMUP_STREAM } from '../../probe/probe.ts'
import { epochUs } from '../clock.ts'
import { envelope } from '../envelope.ts'
import { binaryFrame, FINAL_BIT, frameBytes, OPCODE, pingFrame, textFrame } from '../frame.ts'
import type { Message } from '../message.ts'
import type { ProbeName } from '../probe-name.ts'
import type { Intruder } from './habit.ts'

const FOREIGN_RUN = 'foreign0'
const ELSEWHERE_STREAM = 'public.elsewhere'
const HUGE_BYTES = 1_048_576
const RESERVED_BIT_1 = 0x40
const UNKNOWN_OPCODE = 0x3
const MASK_BIT = 0x80

export interface IntruderSettings {
  readonly what: Intruder
  readonly bytes?: number
  readonly stream?: string
  readonly probeStream?: number
}

/** The bytes, and how the truth log names the probe in them when there is one. */
export interface Intrusion {
  readonly bytes: Buffer
  readonly named: { readonly stream: string; readonly probe: ProbeName } | undefined
}

/** `message`: the probe it stands beside; without one, `foreign` makes up a probe and `misroute` is not possible. */
export function intrude(settings: IntruderSettings, message?: Message): Intrusion {
  if (settings.what === 'foreign') return foreign(message)
  if (settings.what === 'misroute' && message !== undefined) return misroute(settings, message)
  return { bytes: plainBytes(settings), named: undefined }
}

function plainBytes({ what, bytes }: IntruderSettings): Buffer {
  const payload = Buffer.from('{"fanfare":"this is no probe"}')
  if (what === 'binary') return binaryFrame(Buffer.from([0x00, 0xff, 0x7e, 0x66, 0x66, 0x31, 0x2e]))
  if (what === 'invalid-utf8') return frameBytes(FINAL_BIT | OPCODE.text, Buffer.from([0xff, 0xfe, 0xc0, 0x80]))
  if (what === 'ping') return pingFrame(Buffer.from('intruder'))
  if (what === 'masked') return masked(payload)
  if (what === 'reserved-bit') return frameBytes(FINAL_BIT | RESERVED_BIT_1 | OPCODE.text, payload)
  if (what === 'bad-opcode') return frameBytes(FINAL_BIT | UNKNOWN_OPCODE, payload)
  if (what === 'stray-continuation') return frameBytes(FINAL_BIT | OPCODE.continuation, payload)
  if (what === 'huge') return frameBytes(FINAL_BIT | OPCODE.text, Buffer.alloc(bytes ?? HUGE_BYTES, 'x'))
  return textFrame(payload.toString())
}

/** The mask is zero, so only the mask bit is wrong. */
function masked(payload: Buffer): Buffer {
  const frame = frameBytes(FINAL_BIT | OPCODE.text, Buffer.concat([Buffer.alloc(4), payload]))
  frame[1] = MASK_BIT | payload.length
  return frame
}

/** The same probe in the name of another run. */
function foreign(message: Message | undefined): Intrusion {
  const probe = { probeStream: 0, sequence: 0, ...message?.broadcast.probe, run: FOREIGN_RUN }
  const stream = message?.broadcast.stream ?? ELSEWHERE_STREAM
  const body =
    message === undefined
      ? `{"probe":"${writeToken({ ...probe, stream: probe.probeStream, intendedUs: epochUs(), sentUs: epochUs() })}"}`
      : message.body.replace(RUN_IN_TOKEN, `${TOKEN_MARK}${FOREIGN_RUN}`)
  return { bytes: textFrame(envelope(stream, body)), named: { stream, probe } }
}

/** The same probe, of the same run, in the envelope and under the number of another stream. */
function misroute(settings: IntruderSettings, { broadcast, body }: Message): Intrusion {
  const stream = settings.stream ?? ELSEWHERE_STREAM
  if (broadcast.probe === undefined) return { bytes: textFrame(envelope(stream, body)), named: undefined }
  const probe = { ...broadcast.probe, probeStream: settings.probeStream ?? (broadcast.probe.probeStream + 1) % WARMUP_STREAM }
  const moved = body.replace(STREAM_IN_TOKEN, `$1${streamText(probe.probeStream)}`)
  return { bytes: textFrame(envelope(stream, moved)), named: { stream, probe } }
}

const RUN_IN_TOKEN = new RegExp(`${TOKEN_MARK.replace('.', '\\.')}[0-9a-z]{${RUN_CHARACTERS}}`)
const STREAM_IN_TOKEN = new RegExp(`(${TOKEN_MARK.replace('.', '\\.')}[0-9a-z]{${RUN_CHARACTERS}}\\.)[0-9a-z]{${STREAM_CHARACTERS}}`)
