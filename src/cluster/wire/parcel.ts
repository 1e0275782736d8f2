/**
 * A message as bytes: JSON, compressed when that pays. Both directions check against the schema they are given, and nothing larger than
 * the bounds is taken apart. It knows nothing of queues.
 */
import { deflateSync, inflateSync } from 'node:zlib'
import { z } from 'zod'
import { assert, describeError } from '../../errors.ts'
import { BYTES_PER_MB } from '../../units.ts'

/** On the wire. RabbitMQ 4 takes messages of 16 MB unless told otherwise. */
const MAX_PARCEL_BYTES = 15 * BYTES_PER_MB
/** Unpacked; a bomb stops here. */
const MAX_TEXT_BYTES = 64 * BYTES_PER_MB
/** Shorter texts are sent as they are. */
const COMPRESS_FROM_BYTES = 2_048
/** Most of what can be won, at a fifth of the time of the default. */
const COMPRESSION_LEVEL = 1

export interface Parcel {
  readonly body: Buffer
  /** AMQP's `content-encoding`. */
  readonly encoding: 'identity' | 'deflate'
}

export function pack<S extends z.ZodType>(schema: S, message: z.output<S>): Parcel {
  const text = Buffer.from(JSON.stringify(z.encode(schema, message)))
  const isSmall = text.length < COMPRESS_FROM_BYTES
  const body = isSmall ? text : deflateSync(text, { level: COMPRESSION_LEVEL })
  assert(text.length <= MAX_TEXT_BYTES && body.length <= MAX_PARCEL_BYTES, `a control message of ${text.length} bytes is too large`)
  return { body, encoding: isSmall ? 'identity' : 'deflate' }
}

/** Why bytes are no message, in words. */
export interface Unreadable {
  readonly problem: string
}

/** Never throws: what others send may be anything. */
export function unpack<S extends z.ZodType>(schema: S, { body, encoding }: { body: Buffer; encoding: unknown }): z.output<S> | Unreadable {
  try {
    if (body.length > MAX_PARCEL_BYTES) return { problem: `it has ${body.length} bytes` }
    if (encoding !== 'identity' && encoding !== 'deflate') return { problem: 'its content encoding is not known' }
    const text = encoding === 'deflate' ? inflateSync(body, { maxOutputLength: MAX_TEXT_BYTES }) : body
    const parsed = schema.safeDecode(JSON.parse(text.toString('utf8')))
    if (parsed.success) return parsed.data
    const [issue] = parsed.error.issues
    return { problem: `${issue?.path.join('.') || 'the message'}: ${issue?.message}` }
  } catch (error) {
    return { problem: describeError(error) }
  }
}

export const isUnreadable = (message: object): message is Unreadable => 'problem' in message
