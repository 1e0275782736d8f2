/**
 * The rango dialect. Clients subscribe by the URL (`?stream=a,b`, literal commas) or by text frames; an acknowledgement that
 * lists all own streams makes them ready. Probes are found by their token before a frame gets here, so a session only tells
 * the other frames apart.
 */
import { FanfareError } from '../errors.ts'
import type { Handshake, Protocol, Session, SessionPort } from './protocol.ts'
import { readRangoFrame, subscribeFrames } from './rango-frames.ts'
import { offeredSubprotocols, type RequestSettings, requestHeaders } from './request-headers.ts'
import { appendQuery, parseTarget } from './target-request.ts'

export interface RangoSettings extends RequestSettings {
  /** `url`: subscribed by the request line. `frames`: by subscribe frames after opening. */
  readonly rangoSubscribe: 'url' | 'frames'
}

/** rango splits the raw request line at these; there is no way to quote them. */
const BREAKS_THE_QUERY = /[?&=,#%]|[^\x21-\x7e]/
/** Streams that are kept: a new subscriber hears them again before its acknowledgement. */
const KEPT_STREAM = /-(snap|inc)$/

export function createRango(settings: RangoSettings): Protocol {
  const isByUrl = settings.rangoSubscribe === 'url'
  const subprotocols = offeredSubprotocols(settings, [])
  // Clients with the same streams share handshakes and a session: neither has anything of one client.
  const handshakes = new Map<string, Handshake>()
  const sessions = new Map<string, Session>()

  function makeHandshake(target: string, streams: readonly string[]): Handshake {
    const { url, requestTarget, authorization } = parseTarget(target)
    const headers = requestHeaders(settings, authorization)
    return { url, requestTarget: isByUrl ? appendQuery(requestTarget, streamQuery(streams)) : requestTarget, headers, subprotocols }
  }

  return {
    name: 'rango',
    decodes: false,
    isReadyOnOpen: false,
    heartbeatMs: undefined,
    handshake: (target, { streams }) => shared(handshakes, JSON.stringify([target, streams]), () => makeHandshake(target, streams)),
    session: ({ streams }) =>
      shared(sessions, JSON.stringify(streams), () => new RangoSession(streams, isByUrl ? [] : subscribeFrames(streams))),
  }
}

function shared<T>(known: Map<string, T>, key: string, make: () => T): T {
  const existing = known.get(key)
  if (existing !== undefined) return existing
  const made = make()
  known.set(key, made)
  return made
}

function streamQuery(streams: readonly string[]): string {
  const unquotable = streams.find((stream) => BREAKS_THE_QUERY.test(stream))
  if (unquotable === undefined) return `stream=${streams.join(',')}`
  throw new FanfareError(
    'settings-invalid',
    `Expected \`STREAM\` without spaces, letters outside ASCII or any of \`?&=,#%\`, got \`${unquotable}\`: ` +
      'rango reads the raw URL (RANGO_SUBSCRIBE=frames carries any name)',
  )
}

class RangoSession implements Session {
  readonly #streams: readonly string[]
  readonly #subscribeFrames: readonly string[]

  constructor(streams: readonly string[], frames: readonly string[]) {
    this.#streams = streams
    this.#subscribeFrames = frames
  }

  opened(port: SessionPort): void {
    for (const frame of this.#subscribeFrames) port.send(frame)
  }

  frame(data: Uint8Array, start: number, end: number, isBinary: boolean, port: SessionPort): void {
    if (isBinary) {
      port.count('other')
      return
    }
    const frame = readRangoFrame(data, start, end)
    switch (frame.says) {
      case 'ping':
        port.send('pong')
        port.count('heartbeat')
        break
      case 'pong':
        port.count('pong')
        break
      case 'subscribed':
        port.count('ack')
        if (this.#streams.every((stream) => frame.streams.includes(stream))) port.ready()
        break
      case 'acknowledged':
        port.count('ack')
        break
      case 'refused':
        port.count('error')
        // Streams that only the query in WS_ADDR asks for may be refused without harm.
        if (this.#streams.some((stream) => frame.text.includes(stream))) port.refused(frame.text)
        break
      case 'error':
        port.count('error')
        // A client says nothing but its subscription, so this answers it.
        if (this.#subscribeFrames.length > 0) port.refused(frame.text)
        break
      case 'push':
        if (KEPT_STREAM.test(frame.stream)) port.count('snapshot')
        else port.count(this.#streams.includes(frame.stream) ? 'other' : 'other-stream')
        break
      case 'unknown':
        port.count('other')
        break
    }
  }
}
