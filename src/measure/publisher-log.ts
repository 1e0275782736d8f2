/**
 * The publisher's log: what became of every probe of one stream, by sequence. Written by the publisher's thread, read by
 * whoever computes what is owed. It lives in shared memory, so that threads of one process read it without copies; over a
 * network it travels as the same two columns.
 */

/** The state of a probe in the log, one byte each. Skipped and not yet due are both `absent`: never published. */
export const ProbeState = { absent: 0, outstanding: 1, confirmed: 2, returned: 3, nacked: 4, unknown: 5 } as const
export type ProbeStateCode = (typeof ProbeState)[keyof typeof ProbeState]

export interface StreamLog {
  readonly stream: number
  /** Scheduled probes: valid sequences are 0 to count − 1. */
  readonly count: number
  /** By sequence: when it was last handed to the injector, microseconds on the run clock; 0 when absent. */
  readonly sentUs: Float64Array
  /** By sequence: a ProbeStateCode. */
  readonly states: Uint8Array
}

/** The measured streams only; canary and warm-up probes are judged elsewhere. */
export interface PublisherLog {
  readonly streams: readonly StreamLog[]
}
