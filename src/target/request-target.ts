/**
 * Path and streams of a handshake, read from the raw request target as rango reads it: exactly one `?`, pieces split on
 * `&`, `=` and literal commas, and no percent-decoding, so `%2C` names one wrong stream.
 */

export interface RequestTarget {
  readonly path: string
  readonly streams: readonly string[]
}

export function readRequestTarget(raw: string): RequestTarget {
  const [path = '', query, ...more] = raw.split('?')
  if (query === undefined || more.length > 0) return { path, streams: [] }
  return { path, streams: query.split('&').flatMap(streamsOfPiece) }
}

function streamsOfPiece(piece: string): string[] {
  const [name, value, ...more] = piece.split('=')
  if (name !== 'stream' || value === undefined || more.length > 0) return []
  return value.split(',').filter((stream) => stream !== '')
}
