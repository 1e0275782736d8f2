/**
 * The STOMP dialect over WebSocket, 1.0 to 1.2: CONNECT, one SUBSCRIBE per stream, ready when each has its RECEIPT. Frames
 * need not keep to WebSocket messages. It subscribes and listens; it never sends.
 *
 *   state         frame                    then
 *   connecting    CONNECTED                subscribing (says SUBSCRIBE, with receipts)
 *   subscribing   RECEIPT, the last due    ready
 *   any but over  ERROR, fault             over
 *   ready         MESSAGE                  ready (also in subscribing: brokers may be early)
 */
import { secondsToMs } from '../../units.ts'
import { clientName } from '../client-name.ts'
import type { ClientIdentity, Protocol, Session, SessionPort } from '../protocol.ts'
import { offeredSubprotocols, type RequestSettings, requestHeaders } from '../request-headers.ts'
import { parseTarget } from '../target-request.ts'
import { FrameReader } from './frame-reader.ts'
import { connectFrame, disconnectFrame, HEARTBEAT, oneLine, subscribeFrame } from './frame-writer.ts'
import { type StompVersion, unescapeHeader } from './header-text.ts'

export interface StompSettings extends RequestSettings {
  /** `any`: all three are offered and the target picks. */
  readonly stompVersion: StompVersion | 'any'
  /** Virtual host. */
  readonly stompHost: string
  /** Template: `{{index}}`, `{{replica}}`, `{{run}}`. */
  readonly protocolUser: string | undefined
  readonly protocolPassword: string | undefined
  /** 0: no heart-beats. */
  readonly protocolKeepAliveS: number
  readonly maxFrameBytes: number
}

const ALL_VERSIONS: readonly StompVersion[] = ['1.0', '1.1', '1.2']
/** A beat every half interval leaves room for one that is late. */
const BEATS_PER_INTERVAL = 2
/** Of an ERROR's body; more tells nobody more. */
const ERROR_TEXT_BYTES = 512

/** Throws `settings-invalid` for a login that STOMP cannot carry. */
export function createStomp(settings: StompSettings): Protocol {
  const versions = settings.stompVersion === 'any' ? ALL_VERSIONS : [settings.stompVersion]
  const subprotocols = offeredSubprotocols(
    settings,
    versions.toReversed().map((version) => `v${version.replace('.', '')}.stomp`),
  )
  const heartbeatMs = secondsToMs(settings.protocolKeepAliveS)
  const shared = { settings, versions, heartbeatMs }
  const { stompHost: host, protocolUser: user, protocolPassword: password } = settings
  connectFrame({ versions, host, user, password, heartbeatMs })
  return {
    name: 'stomp',
    decodes: true,
    isReadyOnOpen: false,
    heartbeatMs: heartbeatMs === 0 ? undefined : heartbeatMs / BEATS_PER_INTERVAL,
    handshake(target, identity) {
      for (const stream of identity.streams) oneLine(stream, 'STREAM')
      const { url, requestTarget, authorization } = parseTarget(target)
      return { url, requestTarget, headers: requestHeaders(settings, authorization), subprotocols }
    },
    session: (identity) => new StompSession(shared, identity),
  }
}

/** What all sessions of a thread have in common. */
interface Shared {
  readonly settings: StompSettings
  readonly versions: readonly StompVersion[]
  readonly heartbeatMs: number
}

class StompSession implements Session {
  readonly #shared: Shared
  readonly #identity: ClientIdentity
  readonly #reader: FrameReader
  #state: 'connecting' | 'subscribing' | 'ready' | 'over' = 'connecting'
  /** Receipts not yet seen; dropped when ready. */
  #due: Set<string> | undefined
  #wantsBeats = false

  constructor(shared: Shared, identity: ClientIdentity) {
    this.#shared = shared
    this.#identity = identity
    this.#reader = new FrameReader(shared.settings.maxFrameBytes)
  }

  opened(port: SessionPort): void {
    const { settings, versions, heartbeatMs } = this.#shared
    const user = settings.protocolUser === undefined ? undefined : clientName(settings.protocolUser, this.#identity)
    port.send(connectFrame({ versions, host: settings.stompHost, user, password: settings.protocolPassword, heartbeatMs }))
  }

  /** Text and binary frames carry the same bytes. */
  frame(data: Uint8Array, start: number, end: number, _isBinary: boolean, port: SessionPort) {
    if (this.#state === 'over') return
    const reader = this.#reader
    let frames = 0
    reader.push(data, start, end)
    while (reader.next()) {
      frames++
      this.#frame(reader, port)
    }
    if (reader.fault !== undefined) return this.#fail(reader.fault, port)
    if (frames === 0 && !reader.isInsideFrame) port.count('heartbeat')
  }

  heartbeat(port: SessionPort): void {
    if (this.#wantsBeats && this.#state !== 'over') port.send(HEARTBEAT)
  }

  closing(port: SessionPort): void {
    if (this.#state === 'subscribing' || this.#state === 'ready') port.send(disconnectFrame())
  }

  /** RabbitMQ 3.10 answers a destination without permission with a close frame and nothing else. */
  refusal(close: string): string {
    return `${this.#state === 'connecting' ? 'CONNECT' : 'SUBSCRIBE'} was answered with ${close}`
  }

  /** The hot path: nothing is allocated for a MESSAGE. */
  #frame(reader: FrameReader, port: SessionPort) {
    if (reader.isMessage && this.#state !== 'connecting') {
      return port.payload(reader.data, reader.bodyStart, reader.bodyEnd, reader.isRedelivery, false)
    }
    const command = reader.command
    if (command === 'ERROR') return this.#error(reader, port)
    if (command === 'CONNECTED' && this.#state === 'connecting') return this.#connected(reader, port)
    if (command === 'RECEIPT' && this.#state === 'subscribing') return this.#receipt(reader, port)
    this.#fail(`sent a frame that was not due (${JSON.stringify(command)} while ${this.#state})`, port)
  }

  #connected(reader: FrameReader, port: SessionPort) {
    // A server that says no version speaks 1.0.
    const version = (reader.header('version') ?? '1.0').trim() as StompVersion
    if (!this.#shared.versions.includes(version)) {
      return this.#fail(`speaks STOMP ${JSON.stringify(version)}, not ${this.#shared.versions.join(', ')}`, port)
    }
    port.count('login')
    const [, wantedMs = '0'] = (reader.header('heart-beat') ?? '').split(',')
    this.#wantsBeats = Number(wantedMs) > 0
    this.#state = 'subscribing'
    this.#due = new Set(this.#identity.streams.map((_stream, index) => receiptId(index)))
    this.#identity.streams.forEach((stream, index) => {
      port.send(subscribeFrame(version, String(index), stream, receiptId(index)))
    })
  }

  #receipt(reader: FrameReader, port: SessionPort) {
    const id = reader.header('receipt-id')?.trim() ?? ''
    if (this.#due?.delete(id) !== true) return this.#fail(`sent a RECEIPT that was not due (${JSON.stringify(id)})`, port)
    port.count('ack')
    if (this.#due.size > 0) return
    this.#due = undefined
    this.#state = 'ready'
    port.ready()
  }

  /** After an ERROR the server says no more (1.2, "ERROR"), although not every one closes the connection. */
  #error(reader: FrameReader, port: SessionPort): void {
    const message = reader.header('message') ?? ''
    const parts = [unescapeHeader('1.2', message) ?? message, reader.bodyText(ERROR_TEXT_BYTES).trim()]
    const text = `the target sent an ERROR: ${parts.filter((part) => part !== '').join(': ')}`
    const wasReady = this.#state === 'ready'
    this.#end()
    port.count('error')
    if (wasReady) port.ended(text)
    else port.refused(text)
  }

  #fail(text: string, port: SessionPort) {
    this.#end()
    port.fail(`the target ${text}`)
  }

  /** The client is being closed; bytes that still come mean nothing. */
  #end(): void {
    this.#state = 'over'
    this.#reader.close()
  }
}

const receiptId = (index: number): string => `subscription-${index}`
