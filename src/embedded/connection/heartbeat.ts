/**
 * Heartbeats both ways: twice an interval it looks whether anything was sent and beats if not; once an interval it looks
 * whether anything was heard, and after two silent ones in a row the peer is taken for dead. A late timer (a busy loop) only
 * makes it more patient.
 */
import { secondsToMs } from '../../units.ts'

const SILENT_INTERVALS_ALLOWED = 2

export interface HeartbeatPeer {
  /** Sends a heartbeat unless something else was sent meanwhile. */
  beat(): void
  /** Whether anything was heard since the last call, or silence is to be expected now. */
  wasHeard(): boolean
  dead(): void
}

/** Returns what ends it. An interval of 0 seconds means no heartbeats. */
export function startHeartbeat(intervalSeconds: number, peer: HeartbeatPeer): () => void {
  if (intervalSeconds === 0) return () => undefined
  let silentIntervals = 0
  const beats = setInterval(() => peer.beat(), secondsToMs(intervalSeconds) / 2)
  const checks = setInterval(() => {
    silentIntervals = peer.wasHeard() ? 0 : silentIntervals + 1
    if (silentIntervals >= SILENT_INTERVALS_ALLOWED) peer.dead()
  }, secondsToMs(intervalSeconds))
  return () => {
    clearInterval(beats)
    clearInterval(checks)
  }
}
