/**
 * What a thread that died leaves behind. Its clients were owed probes like all others; those it had not yet told about when it
 * last spoke are unaccounted. Pure: snapshots in, a correction out, to be added to the total like any other snapshot.
 */
import { type Plan, streamsOfClient } from '../../config/plan.ts'
import type { OwedProbes } from '../../measure/owed.ts'
import type { Snapshot } from '../../measure/snapshot.ts'
import { emptyClientCounts, emptyDeliveryCounts, emptySnapshot } from '../../measure/snapshot-merge.ts'

/** Its connections went with it, and whoever was not ready never will be. */
export function correctionAtDeath({ clients, toUs }: Snapshot): Snapshot {
  const failed = clients.wanted - clients.ready - clients.failed
  const unopened = clients.wanted - clients.opened - clients.unopened
  return { ...at(toUs), clients: { ...emptyClientCounts(), connected: -clients.connected, failed, unopened } }
}

/**
 * Makes the books of a dead thread balance against what is owed now. `known` is everything the thread has told, earlier
 * corrections included, so that this may be asked again with a newer log.
 */
export function correctionOfBooks(known: Snapshot, plan: Plan, owed: ReadonlyMap<number, OwedProbes>): Snapshot {
  const { measured } = known
  const expected = owedToReadyClients(known, plan, owed)
  const unaccounted = Math.max(0, expected - measured.delivered - measured.missed - measured.lost)
  return {
    ...at(known.toUs),
    measured: { ...emptyDeliveryCounts(), expected: expected - measured.expected, unaccounted: unaccounted - measured.unaccounted },
  }
}

/** A correction belongs to the moment the thread last spoke. */
const at = (toUs: number): Snapshot => ({ ...emptySnapshot(), fromUs: toUs, toUs })

function owedToReadyClients({ readyClients }: Snapshot, plan: Plan, owed: ReadonlyMap<number, OwedProbes>): number {
  let expected = 0
  readyClients.client.forEach((client, index) => {
    for (const { index: stream } of streamsOfClient(plan, client))
      expected += owed.get(stream)?.countSince(readyClients.readyUs[index]!) ?? 0
  })
  return expected
}
