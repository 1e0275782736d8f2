/**
 * The engine contract: one implementation of WebSocket clients (dial, handshake, frames). An engine knows sockets and
 * RFC 6455; it knows nothing of probes, subscriptions or books. `fast` and `ws` must lead to identical ledgers.
 */
import type { CountedCode } from '../errors.ts'
import type { Handshake } from '../protocols/protocol.ts'

export interface Dial {
  /** The engine's name for this connection; the caller's index into its own arrays. */
  readonly slot: number
  readonly handshake: Handshake
  readonly localAddress: string | undefined
  readonly localPort: number | undefined
}

export interface OpenFacts {
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
  /** Ends the connection at once, with the code the caller found (handshake-timeout, protocol-error, …). */
  abort(slot: number, code: CountedCode, text: string): void
  /** Cumulative counters since the start. */
  readonly reads: number
  readonly frames: number
  readonly bytes: number
}
