/**
 * Whether a client is still there: rango pings every 54 s, wants an answer within 60 s and gives a write 10 s to get on. Pure; the
 * clock and the sockets are with the caller.
 */

export interface Liveness {
  readonly nowMs: number
  readonly lastPingMs: number
  readonly lastPongMs: number
  /** Since when a write has been getting nowhere; undefined when none is. */
  readonly stalledSinceMs: number | undefined
}

export interface LivenessLimits {
  readonly pingEveryMs: number
  readonly pongWithinMs: number
  readonly writeWithinMs: number
}

export const RANGO_LIMITS: LivenessLimits = { pingEveryMs: 54_000, pongWithinMs: 60_000, writeWithinMs: 10_000 }

/** What is due for a client; undefined: nothing. */
export function dueFor(client: Liveness, limits: LivenessLimits): 'ping' | 'pong-overdue' | 'write-overdue' | undefined {
  if (client.nowMs - client.lastPongMs > limits.pongWithinMs) return 'pong-overdue'
  if (client.stalledSinceMs !== undefined && client.nowMs - client.stalledSinceMs > limits.writeWithinMs) return 'write-overdue'
  return client.nowMs - client.lastPingMs >= limits.pingEveryMs ? 'ping' : undefined
}
