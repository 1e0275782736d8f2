/**
 * What a thread that died leaves behind. Its clients were owed probes like all others; those it had not yet told about when it
 * last spoke are unaccounted. Pure: snapshots in, a correction out, to be added to the total like any other snapshot.
 */
import { type Plan, streamsOfClient } from '../config/plan.ts'
import type { HeardProbes } from '../measure/owed.ts'
import type { PublisherLog } from '../measure/publisher-log.ts'
import type { Snapshot } from '../measure/snapshot.ts'
import { emptyClientCounts, emptyDeliveryCounts, emptySnapshot } from '../measure/snapshot-merge.ts'
import { closeDeadBooks } from '../measure/unaccounted.ts'

/** Its connections went with it, and whoever was not ready never will be. */
export function correctionAtDeath({ clients }: Snapshot): Snapshot {
  const failed = clients.wanted - clients.ready - clients.failed
  return { ...emptySnapshot(), clients: { ...emptyClientCounts(), connected: -clients.connected, failed } }
}

/**
 * Makes the books of a dead thread balance against what is owed now. `known` is everything the thread has told, earlier
 * corrections included, so that this may be asked again with a newer log.
 */
export function correctionOfBooks(known: Snapshot, plan: Plan, log: PublisherLog, heard: HeardProbes): Snapshot {
  const streamsOf = (client: number): number[] => streamsOfClient(plan, client).map(({ index }) => index)
  const { expected, unaccounted } = closeDeadBooks({ snapshot: known, log, heard, streamsOf }).measured
  return {
    ...emptySnapshot(),
    measured: {
      ...emptyDeliveryCounts(),
      expected: expected - known.measured.expected,
      unaccounted: unaccounted - known.measured.unaccounted,
    },
  }
}
