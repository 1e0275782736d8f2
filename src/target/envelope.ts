/**
 * What a body looks like after rango's decode-and-encode: keys sorted, numbers as float64, `<`, `>`, `&` and the two line
 * separators as \u00xx escapes, whitespace and duplicate keys gone; then wrapped as `{"stream": body}`. Done once per
 * message, never per client.
 */

const ESCAPED = /[<>&\u2028\u2029]/g
const escapeCharacter = (character: string): string => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`
// By way of bytes, because half a surrogate pair becomes U+FFFD there, as in Go.
const encodeText = (text: string): string => JSON.stringify(Buffer.from(text).toString()).replace(ESCAPED, escapeCharacter)

/** The body as rango would send it on, or undefined when it is not JSON (rango drops it then). */
export function encodeBody(body: Uint8Array): string | undefined {
  try {
    return encodeValue(JSON.parse(Buffer.from(body.buffer, body.byteOffset, body.byteLength).toString()))
  } catch {
    return undefined // not JSON, a number beyond float64, or nested deeper than the stack
  }
}

export const envelope = (stream: string, encodedBody: string): string => `{${encodeText(stream)}:${encodedBody}}`

function encodeValue(value: unknown): string {
  if (typeof value === 'string') return encodeText(value)
  if (typeof value === 'number') return encodeNumber(value)
  if (typeof value !== 'object' || value === null) return String(value)
  if (Array.isArray(value)) return `[${value.map(encodeValue).join(',')}]`
  const keys = Object.keys(value).sort(byUtf8)
  return `{${keys.map((key) => `${encodeText(key)}:${encodeValue((value as Record<string, unknown>)[key])}`).join(',')}}`
}

function encodeNumber(value: number): string {
  if (!Number.isFinite(value)) throw new RangeError('beyond float64')
  return Object.is(value, -0) ? '-0' : String(value)
}

// Go sorts by bytes; JavaScript's own order differs for characters outside the basic plane.
const byUtf8 = (left: string, right: string): number => Buffer.compare(Buffer.from(left), Buffer.from(right))
