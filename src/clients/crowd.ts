/**
 * The crowd contract: a roster share as the run sees it, whoever holds it (threads of this process, or replicas over the
 * broker). It hides threads and sockets and hands out snapshots.
 */
import type { PublisherLog } from '../measure/publisher-log.ts'
import type { Snapshot } from '../measure/snapshot.ts'

export interface Crowd {
  /** Begins dialing at the planned rate. Progress shows in snapshots. */
  connect(): void
  /** Stops dialing; what is in flight may still finish, and clients that become ready later still count. */
  stopConnecting(): void
  /** Everything known so far, merged. Cheap. */
  snapshot(): Snapshot
  /** Asks every holder for what happened since the last handover and resolves with the merged total. */
  refresh(): Promise<Snapshot>
  /**
   * Tells what is owed: afterwards `measured.expected` is known, and what disconnected clients will not get is booked as
   * missed. May be called again with a newer log. The run is complete when expected = delivered + missed + unaccounted.
   */
  expect(log: PublisherLog): Promise<Snapshot>
  /** The drain ended at `drainEndedUs`: holes become missed or lost; first deliveries after this are late. */
  settle(log: PublisherLog, drainEndedUs: number): Promise<Snapshot>
  /** Closes all clients and ends the holders; resolves with the final total. Idempotent, bounded in time. */
  close(): Promise<Snapshot>
  /** Holders (threads, replicas) that died, with a sentence each. */
  readonly died: readonly string[]
}
