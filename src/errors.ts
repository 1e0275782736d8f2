/**
 * The error base class and the table of every code. A code is stable: reports, metrics labels, tests and scripts
 * compare codes, never texts. Only `main.ts` turns an error into an exit code; the table names the outcome it belongs to.
 */

/** How a code ends a run. `counted` codes never end one: they are booked and the run goes on. */
export type Outcome = 'settings' | 'refused' | 'invalid' | 'fault' | 'counted'

/** Every code with its outcome and its meaning in one line (docs/errors.md repeats this table; a test compares them). */
export const errorTable = {
  // settings: asked for wrongly (exit 2)
  'settings-invalid': { outcome: 'settings', meaning: 'One or more settings make no sense; all are listed.' },
  // refused: the run could not be carried out (exit 3)
  'preflight-descriptors': { outcome: 'refused', meaning: 'The process may not open as many descriptors as the roster needs.' },
  'preflight-ports': { outcome: 'refused', meaning: 'There are fewer local ports per source and target address than clients.' },
  'preflight-memory': { outcome: 'refused', meaning: 'The memory the roster needs is more than there is.' },
  'preflight-report-dir': { outcome: 'refused', meaning: 'The report folder cannot be written.' },
  'metrics-port-taken': { outcome: 'refused', meaning: 'The metrics address is taken or may not be bound.' },
  'broker-unreachable': { outcome: 'refused', meaning: 'Nothing answers at the broker address.' },
  'broker-not-amqp': { outcome: 'refused', meaning: 'What answers at the broker address does not speak AMQP 0-9-1.' },
  'broker-tls': { outcome: 'refused', meaning: 'TLS was spoken on a plain port, plain on a TLS port, or a certificate was not accepted.' },
  'broker-access-refused': { outcome: 'refused', meaning: 'The broker refused the login or a permission.' },
  'broker-vhost-missing': { outcome: 'refused', meaning: 'The virtual host does not exist or may not be entered.' },
  'broker-stalled': { outcome: 'refused', meaning: 'The broker took or confirmed nothing for AMQP_WAIT_MS (an alarm, or it hangs).' },
  'exchange-missing': { outcome: 'refused', meaning: 'The exchange does not exist (404).' },
  'exchange-mismatch': { outcome: 'refused', meaning: 'The exchange exists with other attributes (406).' },
  'canary-unroutable': { outcome: 'refused', meaning: 'The broker took the canary but has no queue for it (returned).' },
  'canary-unconfirmed': { outcome: 'refused', meaning: 'The broker did not confirm the canary in time.' },
  'canary-not-broadcast': { outcome: 'refused', meaning: 'The broker routed the canary but no client heard it.' },
  'connect-failed': { outcome: 'refused', meaning: 'The first attempts to connect all failed.' },
  'ready-failed': { outcome: 'refused', meaning: 'Fewer clients than READY_QUORUM became ready in time.' },
  'first-probe-timeout': { outcome: 'refused', meaning: 'INJECTOR=none: no probe was heard in time.' },
  'nothing-expected': { outcome: 'refused', meaning: 'No delivery was expected, so nothing was measured.' },
  'join-timeout': { outcome: 'refused', meaning: 'Replicas or the coordinator did not join in time.' },
  'group-taken': { outcome: 'refused', meaning: 'Another coordinator already leads this group.' },
  'replica-refused': { outcome: 'refused', meaning: 'The coordinator refused this replica (version, or too late).' },
  'coordinator-lost': { outcome: 'refused', meaning: 'The coordinator went away before the run ended.' },
  // invalid: the figures are not to be trusted (exit 4)
  'tester-bound': { outcome: 'invalid', meaning: 'The tester itself was the limit.' },
  'clock-bound': { outcome: 'invalid', meaning: 'The uncertainty of the clock is above MAX_CLOCK_BOUND_MS.' },
  'books-unbalanced': { outcome: 'invalid', meaning: 'expected is not delivered + missed + lost + unaccounted.' },
  'books-overflowed': { outcome: 'invalid', meaning: 'The ledger needed more memory than LEDGER_MEMORY_MB.' },
  'replica-lost': { outcome: 'invalid', meaning: 'A replica or receiver thread died and took figures along.' },
  // a fault of ours (exit 70)
  fault: { outcome: 'fault', meaning: 'fanfare is wrong; please report it.' },
  'output-failed': { outcome: 'fault', meaning: 'The results could not be written to stdout.' },
  // counted: how a client or its connection failed
  dns: { outcome: 'counted', meaning: 'The target name could not be resolved.' },
  refused: { outcome: 'counted', meaning: 'The target refused the connection.' },
  unreachable: { outcome: 'counted', meaning: 'No route to the target.' },
  'reset-before-upgrade': { outcome: 'counted', meaning: 'The connection ended before the handshake was answered.' },
  'connect-timeout': { outcome: 'counted', meaning: 'The TCP connection was not established in time.' },
  'handshake-timeout': { outcome: 'counted', meaning: 'The connection was accepted but the handshake was not answered in time.' },
  tls: { outcome: 'counted', meaning: 'The TLS handshake failed.' },
  'http-status': { outcome: 'counted', meaning: 'The handshake was answered with another status than 101.' },
  'bad-upgrade': { outcome: 'counted', meaning: 'The answer to the handshake breaks RFC 6455.' },
  'no-descriptors': { outcome: 'counted', meaning: 'The process ran out of file descriptors.' },
  'no-ports': { outcome: 'counted', meaning: 'No free local port for this source and target address.' },
  'ready-timeout': { outcome: 'counted', meaning: 'The subscription was not acknowledged in time.' },
  'subscription-refused': { outcome: 'counted', meaning: 'The target refused the login or the subscription.' },
  'ended-by-target': { outcome: 'counted', meaning: 'The target said in its dialect that it ends the conversation.' },
  'closed-by-target': { outcome: 'counted', meaning: 'The target closed with a WebSocket close frame.' },
  'cut-by-target': { outcome: 'counted', meaning: 'The target closed the TCP connection without a close frame.' },
  'reset-by-target': { outcome: 'counted', meaning: 'The target reset the TCP connection.' },
  'protocol-error': { outcome: 'counted', meaning: 'A frame broke RFC 6455 or the dialect; the client closed.' },
  'frame-too-big': { outcome: 'counted', meaning: 'A frame was over the size limit; the client closed.' },
  'socket-error': { outcome: 'counted', meaning: 'Another socket error.' },
} as const satisfies Record<string, { outcome: Outcome; meaning: string }>

export type ErrorCode = keyof typeof errorTable

/** Codes that count how clients failed; the closed set of values of the `code` labels. */
export type CountedCode = { [K in ErrorCode]: (typeof errorTable)[K]['outcome'] extends 'counted' ? K : never }[ErrorCode]

/** The one error class. `message` is a plain sentence that names the thing, the rule and the value; it holds no secret. */
export class FanfareError extends Error {
  readonly code: ErrorCode

  constructor(code: ErrorCode, message: string, options?: { cause?: unknown }) {
    super(message, options)
    this.name = 'FanfareError'
    this.code = code
  }

  get outcome(): Outcome {
    return errorTable[this.code].outcome
  }
}

/** Stops on a fault of our own: a wrong number is worse than none. */
export function assert(condition: boolean, message: string): asserts condition {
  if (!condition) throw new FanfareError('fault', message)
}

/** The text of anything thrown, for `cause` lines and logs. */
export const describeError = (error: unknown): string => (error instanceof Error ? error.message : String(error))
