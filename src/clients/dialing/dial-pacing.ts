/**
 * When which client is dialed, and where from and to. Pure: every thread and replica works the same deadlines out by itself,
 * so that rates and totals of the run hold however the roster is shared.
 */
import type { RosterShare } from '../../config/plan.ts'
import { secondsToUs } from '../../units.ts'

export interface DialPacing {
  /** When the connect phase began, run clock. */
  readonly startUs: number
  /** Dials a second of this process: its part of CONNECT_RATE. */
  readonly ratePerSecond: number
  /** Handshakes this thread may have in flight: its part of CONNECT_CONCURRENCY. */
  readonly concurrency: number
  /** First client of this process; clients are due in the order of their index. */
  readonly firstClient: number
}

/** Takes a thread's part of the run's CONNECT_RATE and CONNECT_CONCURRENCY, at least one handshake. */
export function dialPacing(facts: {
  readonly startUs: number
  readonly connectRate: number
  readonly connectConcurrency: number
  readonly roster: RosterShare
  readonly share: RosterShare
  readonly threadClients: number
}): DialPacing {
  const { startUs, connectRate, connectConcurrency, roster, share, threadClients } = facts
  return {
    startUs,
    ratePerSecond: (connectRate * share.clients) / roster.clients,
    concurrency: Math.max(1, Math.floor((connectConcurrency * threadClients) / roster.clients)),
    firstClient: share.firstClient,
  }
}

/** When a client is due, run clock. An absolute deadline: a late dial does not make the next one late. */
export const dialDueUs = (client: number, { startUs, ratePerSecond, firstClient }: DialPacing): number =>
  startUs + secondsToUs((client - firstClient) / ratePerSecond)

export type DialDecision = { readonly kind: 'dial' | 'full' } | { readonly kind: 'wait'; readonly waitUs: number }

const DIAL: DialDecision = { kind: 'dial' }
const FULL: DialDecision = { kind: 'full' }

/** Whether `client`, the next in order, is dialed now. `full`: ask again when a handshake in flight has ended. */
export function decideDial(client: number, pacing: DialPacing, at: { nowUs: number; inFlight: number }): DialDecision {
  if (at.inFlight >= pacing.concurrency) return FULL
  const waitUs = dialDueUs(client, pacing) - at.nowUs
  return waitUs <= 0 ? DIAL : { kind: 'wait', waitUs }
}

/** Index into WS_ADDR: clients are dealt out to targets in turn. */
export const targetOfClient = (client: number, targets: number): number => client % targets

/**
 * Index into SOURCE_ADDRESSES: the next source after each round of targets, so that every pair of them is used evenly.
 * 0 when there are none.
 */
export const sourceOfClient = (client: number, targets: number, sources: number): number =>
  Math.floor(client / targets) % Math.max(1, sources)
