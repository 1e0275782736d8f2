/**
 * The engine contract: one implementation of WebSocket clients (dial, handshake, frames). An engine knows sockets and
 * RFC 6455; it knows nothing of probes, subscriptions or books. `fast` and `ws` must lead to identical ledgers.
 */
import type { CountedCode } from '../errors.ts'
import type { Handshake } from '../protocols/protocol.ts'

export interface Dial {
  /** The engine's name for this connection; the caller's index into its own arrays. Free again after `onEnd`. */
  readonly slot: number
  readonly handshake: Handshake
  /** The IP address to connect to; undefined: the engine resolves the name in `handshake.url`. */
  readonly remoteAddress: string | undefined
  readonly localAddress: string | undefined
  readonly localPort: number | undefined
}

export interface OpenFacts {
  /** When the answer to the handshake was read, run clock; no message of the connection was read before. */
  readonly openedUs: number
  readonly localAddress: string
  readonly localPort: number
  readonly subprotocol: string
}

/** How a connection ended; told exactly once per dial, also for dials that never opened. */
export interface ConnectionEnd {
  /** undefined: the client closed on purpose. */
  readonly code: CountedCode | undefined
  readonly closeCode?: number
  readonly httpStatus?: number
  readonly wasOpen: boolean
  /** A sentence for logs, bounded in length, without secrets. */
  readonly text: string
}

export interface EngineListener {
  onOpen(slot: number, facts: OpenFacts): void
  /**
   * One whole message: `data[start, end)`, valid during the call only. `receivedUs` was read as the first act of the read
   * callback that completed it. Must not throw.
   */
  onMessage(slot: number, data: Uint8Array, start: number, end: number, isBinary: boolean, receivedUs: number): void
  onEnd(slot: number, end: ConnectionEnd): void
}

export interface Engine {
  dial(dial: Dial): void
  /** A string goes as text, bytes as binary. Ignored when the slot is not open. */
  send(slot: number, data: string | Uint8Array): void
  /** Starts the close handshake; the socket is destroyed after a short grace. Ends with `onEnd`. */
  close(slot: number, closeCode: number): void
  /**
   * Ends the connection at once, with the code the caller found (handshake-timeout, protocol-error, …; undefined: on purpose).
   * `onEnd` is called inside.
   */
  abort(slot: number, code: CountedCode | undefined, text: string): void
  /** The TCP connection of a slot that is not open yet stands: what is missing is the answer to the handshake. */
  isConnected(slot: number): boolean
  /** Cumulative counters since the start. */
  readonly reads: number
  readonly frames: number
  readonly bytes: number
}

export interface EngineOptions {
  /** The run clock, microseconds since the epoch. */
  readonly nowUs: () => number
  /** A longer message ends the connection with `frame-too-big`. */
  readonly maxFrameBytes: number
  readonly tls: TlsMaterial
}

/** What a `wss:` handshake may use; PEM bytes. */
export interface TlsMaterial {
  readonly ca?: Buffer
  readonly cert?: Buffer
  readonly key?: Buffer
  readonly rejectUnauthorized: boolean
}

/** How long a connection may take to end once a close frame was sent, ms. Long enough for an answer, short enough to wait for. */
export const CLOSE_GRACE_MS = 1_000
/** A message in more pieces is a fault of the target (protocol-error): pieces may be empty, so their sizes bound nothing. */
export const MAX_FRAGMENTS = 16_384
