/** A replica that has joined and was not told a plan yet. */
import type { Peer } from './peer.ts'
import type { FromReplica } from './wire/messages.ts'

export interface Candidate {
  readonly peer: Peer
  /** What it said of itself. */
  readonly join: Extract<FromReplica, { type: 'join' }>
}
