/**
 * The plain dialect: any target that pushes text or binary frames to whoever is connected. A client is ready on open, or on
 * the first frame that matches PLAIN_READY. It says nothing and expects nothing else.
 */
import { FanfareError } from '../errors.ts'
import type { Protocol, Session, SessionPort } from './protocol.ts'
import { offeredSubprotocols, type RequestSettings, requestHeaders } from './request-headers.ts'
import { parseTarget } from './target-request.ts'

export interface PlainSettings extends RequestSettings {
  /** A regular expression tried on the text of frames without a probe; undefined: ready on open. */
  readonly plainReady: string | undefined
}

/** A greeting is short; only this much of a frame is decoded and matched. */
const MATCHED_BYTES = 64 * 1024

export function createPlain(settings: PlainSettings): Protocol {
  const subprotocols = offeredSubprotocols(settings, [])
  const pattern = settings.plainReady === undefined ? undefined : readyPattern(settings.plainReady)
  const session = new PlainSession(pattern)
  return {
    name: 'plain',
    decodes: false,
    isReadyOnOpen: pattern === undefined,
    heartbeatMs: undefined,
    handshake(target) {
      const { url, requestTarget, authorization } = parseTarget(target)
      return { url, requestTarget, headers: requestHeaders(settings, authorization), subprotocols }
    },
    session: () => session,
  }
}

function readyPattern(source: string): RegExp {
  try {
    return new RegExp(source, 'u')
  } catch (cause) {
    throw new FanfareError('settings-invalid', `Expected \`PLAIN_READY\` to be a regular expression, got \`${source}\``, { cause })
  }
}

/** Shared by all clients. */
class PlainSession implements Session {
  readonly #pattern: RegExp | undefined

  constructor(pattern: RegExp | undefined) {
    this.#pattern = pattern
  }

  opened(): void {}

  frame(data: Uint8Array, start: number, end: number, _isBinary: boolean, port: SessionPort): void {
    if (!this.#isGreeting(data, start, end)) {
      port.count('other')
      return
    }
    port.count('ack')
    port.ready()
  }

  #isGreeting(data: Uint8Array, start: number, end: number): boolean {
    if (this.#pattern === undefined) return false
    const length = Math.min(end - start, MATCHED_BYTES)
    return this.#pattern.test(Buffer.from(data.buffer, data.byteOffset + start, length).toString('utf8'))
  }
}
