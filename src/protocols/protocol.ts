/**
 * The protocol contract: what a target speaks to its clients. A dialect is pure: it reads frames and says what they mean
 * through a port; it opens no sockets and keeps no clock. One file per dialect stands beside this one.
 */

/** Who a client is, for handshakes, subscriptions and login names. */
export interface ClientIdentity {
  /** Index in the run's roster. */
  readonly client: number
  readonly replica: number
  readonly runId: string
  /** What it subscribes to. */
  readonly streams: readonly string[]
}

export interface Handshake {
  readonly url: URL
  /**
   * Path and query exactly as they go on the request line: dialects such as rango read them without percent-decoding,
   * so this is not `url.pathname + url.search`.
   */
  readonly requestTarget: string
  readonly headers: Readonly<Record<string, string>>
  readonly subprotocols: readonly string[]
}

/** What a frame without a probe was; the closed set behind `otherFrames` in the report. */
export type FrameKind = 'ack' | 'pong' | 'heartbeat' | 'error' | 'snapshot' | 'other-stream' | 'login' | 'other'

/**
 * What a dialect may do for the client whose frame it reads. One port object per thread is reused for all clients: a session
 * must not keep it.
 */
export interface SessionPort {
  /** A string goes as a text frame, bytes as a binary frame. */
  send(data: string | Uint8Array): void
  /** The subscription was acknowledged. Further calls do nothing. */
  ready(): void
  /**
   * The target refused login or subscription; the client is closed with code `subscription-refused`. `text` is the target's own.
   * Does nothing once the client is ready: what a target refuses later takes nothing away that the run counts on.
   */
  refused(text: string): void
  /** The target said that the conversation is over, in its dialect (MQTT's DISCONNECT, STOMP's ERROR); closed with code `ended-by-target`. */
  ended(text: string): void
  /**
   * Dialects with `decodes: true` hand over each payload here: `data[start, end)` of the frame being read (or of a buffer of
   * the session's own). `isRedelivery`: the target said it may have sent this before. `isRetained`: it is a stored one.
   */
  payload(data: Uint8Array, start: number, end: number, isRedelivery: boolean, isRetained: boolean): void
  /** A frame that was not a probe. */
  count(kind: FrameKind): void
  /** The bytes broke the dialect: the client is closed with code `protocol-error`. */
  fail(text: string): void
}

/** One client's side of one connection's conversation. Keep it small: there are as many as clients, or one shared by all when it has no state. */
export interface Session {
  /** The socket is open: say what must be said to become ready. */
  opened(port: SessionPort): void
  /**
   * One whole message: `data[start, end)`. When the dialect has `decodes: false`, only messages in which the receive path found
   * no probe come here. The bytes are valid during the call only. Never throws, whatever the bytes are.
   */
  frame(data: Uint8Array, start: number, end: number, isBinary: boolean, port: SessionPort): void
  /** Called every `heartbeatMs` while open, when the dialect asked for it. */
  heartbeat?(port: SessionPort): void
  /** Last words before the close handshake (DISCONNECT), if any. */
  closing?(port: SessionPort): void
  /**
   * The target closed the connection (`close`: "close 1002: no such user") before the client was ready. Answers what that refuses when
   * the dialect takes it for a refusal of login or subscription (code `subscription-refused`); absent: it is only a close.
   */
  refusal?(close: string): string
}

export interface Protocol {
  readonly name: string
  /**
   * false: a payload is found in the raw frame by its token and the session sees only other frames (fastest).
   * true: every frame goes to the session, which hands over payloads.
   */
  readonly decodes: boolean
  /** Whether a client is ready as soon as the socket is open. */
  readonly isReadyOnOpen: boolean
  /** How often `heartbeat` is called; undefined when never. */
  readonly heartbeatMs: number | undefined
  /** `target` is one entry of WS_ADDR, as it was written. */
  handshake(target: string, identity: ClientIdentity): Handshake
  /** For one connection; asked again when a client reconnects. */
  session(identity: ClientIdentity): Session
}
