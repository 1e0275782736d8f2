/**
 * Whom a habit concerns: which clients, which probes, for how long. Chance is drawn by hashing the names of probe and client
 * with the seed, so the same habit meets the same deliveries whatever the order of events. Pure.
 */
import { CANARY_STREAM, WARMUP_STREAM } from '../../probe/probe.ts'
import type { ProbeName } from '../probe-name.ts'

/** Habits leave canary and warm-up alone unless these are named. */
const UNMEASURED_STREAMS: readonly number[] = [CANARY_STREAM, WARMUP_STREAM]
const UINT32_RANGE = 2 ** 32

export interface WhichClients {
  /** Numbers of handshakes, from 0; absent: all. */
  readonly clients?: readonly number[]
  /** Share of the clients, 0 to 1, drawn by the seed; absent: all. */
  readonly share?: number
  /** Default 1. */
  readonly seed?: number
  /** How long after it was set the habit lasts; absent: until it is unset. */
  readonly forMs?: number
}

export interface Where extends WhichClients {
  /** Sequences of the probes; absent: all. */
  readonly sequences?: readonly number[]
  /** Stream numbers as in the tokens; absent: the measured ones. */
  readonly probeStreams?: readonly number[]
  /** Chance of each (probe, client) pair, 0 to 1, drawn by the seed; absent: 1. */
  readonly probability?: number
}

export function concernsClient(which: WhichClients, client: number): boolean {
  if (which.clients !== undefined && !which.clients.includes(client)) return false
  return which.share === undefined || chance([which.seed ?? 1, client]) < which.share
}

export function concernsProbe(where: Where, probe: ProbeName, client: number): boolean {
  const { sequences, probeStreams, probability, seed = 1 } = where
  if (sequences !== undefined && !sequences.includes(probe.sequence)) return false
  const isOfStreams = probeStreams?.includes(probe.probeStream) ?? !UNMEASURED_STREAMS.includes(probe.probeStream)
  if (!isOfStreams) return false
  return probability === undefined || chance([seed, client, probe.probeStream, probe.sequence]) < probability
}

export const isOver = (which: WhichClients, elapsedMs: number): boolean => which.forMs !== undefined && elapsedMs > which.forMs

/** A number from 0 (inclusive) to 1 that depends on the names alone: each is mixed in with the finaliser of MurmurHash3. */
export function chance(names: readonly number[]): number {
  let hash = 0x9e3779b9
  for (const name of names) {
    hash ^= name
    hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b)
    hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35)
    hash ^= hash >>> 16
  }
  return (hash >>> 0) / UINT32_RANGE
}
