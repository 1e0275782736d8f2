/**
 * What a rango target says in one text frame, and the frames that subscribe. Pure: bytes in, meaning out, and never an
 * exception, whatever the bytes are. It does not know which client listens.
 */
import { FanfareError } from '../errors.ts'

export type RangoFrame =
  | { readonly says: 'ping' | 'pong' | 'unknown' }
  /** `{"success":{"message":"subscribed","streams":[…]}}`: the full list of the client's streams. */
  | { readonly says: 'subscribed'; readonly streams: readonly unknown[] }
  /** Another success without streams to read, such as `unsubscribed`. */
  | { readonly says: 'acknowledged' }
  /** `{"success":{"message":"cannot subscribe to …"}}`. */
  | { readonly says: 'refused'; readonly text: string }
  /** `{"error":"…"}`. */
  | { readonly says: 'error'; readonly text: string }
  /** `{"<stream>": body}`. */
  | { readonly says: 'push'; readonly stream: string }

/** rango closes a client that sends 512 bytes or more in one frame. */
const SUBSCRIBE_FRAME_LIMIT_BYTES = 512
/** An acknowledgement lists one client's streams; anything longer is not parsed. */
const PARSED_LIMIT_BYTES = 256 * 1024
/** Stream names are short; a longer first key is not one. */
const KEY_LIMIT_BYTES = 1024
const QUOTE = 0x22
const BACKSLASH = 0x5c
const OPEN_BRACE = 0x7b

const UNKNOWN: RangoFrame = { says: 'unknown' }
const PING: RangoFrame = { says: 'ping' }
const PONG: RangoFrame = { says: 'pong' }

/** Reads `data[start, end)`. A push is told by its first key alone: bodies may be large and there are as many as clients. */
export function readRangoFrame(data: Uint8Array, start: number, end: number): RangoFrame {
  const word = end - start === 4 ? textOf(data, start, end) : ''
  if (word === 'ping') return PING
  if (word === 'pong') return PONG
  const key = firstKey(data, start, end)
  if (key === undefined) return UNKNOWN
  if (key === 'success') return readSuccess(fieldsOf(parse(data, start, end)).success)
  if (key === 'error') return readError(fieldsOf(parse(data, start, end)).error)
  return { says: 'push', stream: key }
}

/** Subscribe frames that together name all streams, each below rango's limit for inbound frames. */
export function subscribeFrames(streams: readonly string[]): readonly string[] {
  const frames: string[] = []
  let batch: string[] = []
  for (const stream of streams) {
    if (!isSendable([stream])) {
      throw new FanfareError(
        'settings-invalid',
        `Expected each stream to fit a subscribe frame below ${SUBSCRIBE_FRAME_LIMIT_BYTES} bytes, got \`${stream}\``,
      )
    }
    if (batch.length > 0 && !isSendable([...batch, stream])) {
      frames.push(subscribeFrame(batch))
      batch = []
    }
    batch.push(stream)
  }
  return batch.length > 0 ? [...frames, subscribeFrame(batch)] : frames
}

const subscribeFrame = (streams: readonly string[]): string => JSON.stringify({ event: 'subscribe', streams })
const isSendable = (streams: readonly string[]): boolean => Buffer.byteLength(subscribeFrame(streams)) < SUBSCRIBE_FRAME_LIMIT_BYTES

function readSuccess(success: unknown): RangoFrame {
  const { message, streams } = fieldsOf(success)
  if (typeof message !== 'string') return UNKNOWN
  if (message.startsWith('cannot subscribe')) return { says: 'refused', text: message }
  return message === 'subscribed' && Array.isArray(streams) ? { says: 'subscribed', streams } : { says: 'acknowledged' }
}

const readError = (error: unknown): RangoFrame => (typeof error === 'string' ? { says: 'error', text: error } : UNKNOWN)

/** The first key of a JSON object, found without parsing the rest; undefined when there is none. */
function firstKey(data: Uint8Array, start: number, end: number): string | undefined {
  const brace = skipSpace(data, start, end)
  if (data[brace] !== OPEN_BRACE) return undefined
  const from = skipSpace(data, brace + 1, end)
  if (data[from] !== QUOTE) return undefined
  const limit = Math.min(end, from + KEY_LIMIT_BYTES)
  for (let at = from + 1; at < limit; at++) {
    if (data[at] === BACKSLASH) at++
    else if (data[at] === QUOTE) return unquote(textOf(data, from, at + 1))
  }
  return undefined
}

function unquote(quoted: string): string | undefined {
  try {
    return String(JSON.parse(quoted))
  } catch {
    return undefined
  }
}

/** JSON's white space is space, tab, line feed and carriage return. */
function skipSpace(data: Uint8Array, start: number, end: number): number {
  let at = start
  while (at < end && (data[at] === 0x20 || data[at] === 0x09 || data[at] === 0x0a || data[at] === 0x0d)) at++
  return at
}

/** The frame as JSON; undefined when it is not, or too long to be an acknowledgement. */
function parse(data: Uint8Array, start: number, end: number): unknown {
  if (end - start > PARSED_LIMIT_BYTES) return undefined
  try {
    return JSON.parse(textOf(data, start, end))
  } catch {
    return undefined
  }
}

const textOf = (data: Uint8Array, start: number, end: number): string =>
  Buffer.from(data.buffer, data.byteOffset + start, end - start).toString('utf8')

const fieldsOf = (value: unknown): Record<string, unknown> =>
  typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {}
