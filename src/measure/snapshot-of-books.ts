/** Puts what the parts of the books counted together into one snapshot. It counts nothing itself. */
import type { DeliveryChanges } from './delivery-figures.ts'
import { joinFanouts } from './fanout-merge.ts'
import { emptyHistogram, type HistogramData } from './histogram.ts'
import { sumHistograms } from './histogram-merge.ts'
import type { MembershipChanges, MembershipSecond } from './membership.ts'
import type { Settlement, Shortfall } from './settlement.ts'
import type { DeliveryCounts, FanoutRows, Snapshot, TargetCounts, ThreadHealth, TimelineSecond } from './snapshot.ts'

/** What changed in the books since the last snapshot. */
export interface BooksChanges {
  readonly fromUs: number
  readonly toUs: number
  readonly clockBoundUs: number
  readonly isSentinels: boolean
  readonly membership: MembershipChanges
  readonly deliveries: DeliveryChanges
  /** Rare counts of measured probes. */
  readonly counts: DeliveryCounts
  readonly shortfall: Shortfall
  readonly settlement: Settlement | undefined
  readonly worstClients: Snapshot['worstClients']
  readonly canary: DeliveryCounts
  readonly warmup: DeliveryCounts
  readonly resent: { readonly duplicates: number; readonly outOfOrder: number }
  readonly otherFrames: Record<string, number>
  readonly highestSequence: Record<number, number>
  /** One per stream, by stream index ascending. */
  readonly fanouts: readonly { readonly rows: FanoutRows; readonly capped: number }[]
  readonly health: ThreadHealth
  readonly ledgerBytes: number
  readonly isLedgerOverflowed: boolean
}

export function booksSnapshot(changes: BooksChanges): Snapshot {
  const { membership, deliveries, settlement } = changes
  const latencyUs = sumHistograms(deliveries.latencyByTarget)
  return {
    fromUs: changes.fromUs,
    toUs: changes.toUs,
    clients: membership.clients,
    errorsByCode: membership.errorsByCode,
    errorTexts: membership.errorTexts,
    endings: membership.endings,
    portRetries: membership.portRetries,
    firstDialUs: membership.firstDialUs,
    lastReadyUs: membership.lastReadyUs,
    connectLatencyUs: membership.connectLatencyUs,
    readyLatencyUs: membership.readyLatencyUs,
    measured: {
      ...changes.counts,
      ...changes.shortfall,
      delivered: deliveries.delivered,
      negativeLatency: sum(latencyUs.negative.count),
    },
    warmup: changes.warmup,
    canary: changes.canary,
    firstDeliveryUs: deliveries.firstUs,
    lastDeliveryUs: deliveries.lastUs,
    longestSilenceUs: deliveries.longestSilenceUs,
    highestSequence: changes.highestSequence,
    otherFrames: changes.otherFrames,
    latencyUs,
    serviceLatencyUs: deliveries.serviceLatencyUs,
    sentinelLatencyUs: changes.isSentinels ? latencyUs : emptyHistogram(),
    resentDuplicates: changes.resent.duplicates,
    resentOutOfOrder: changes.resent.outOfOrder,
    fanout: joinFanouts(changes.fanouts.map((fanout) => fanout.rows)),
    fanoutCapped: sum(changes.fanouts.map((fanout) => fanout.capped)),
    timeline: timeline(membership, deliveries),
    threads: [changes.health],
    targets: targets(membership, deliveries.latencyByTarget),
    streams: settlement?.streams ?? [],
    worstClients: changes.worstClients,
    missing: settlement?.missing ?? [],
    unbalancedRows: settlement?.unbalancedRows ?? 0,
    heardNothing: settlement?.heardNothing ?? 0,
    readyClients: membership.readyClients,
    ledgerBytes: changes.ledgerBytes,
    isLedgerOverflowed: changes.isLedgerOverflowed,
    clockBoundUs: changes.clockBoundUs,
  }
}

function sum(values: readonly number[] | Float64Array): number {
  let total = 0
  for (const value of values) total += value
  return total
}

const NOTHING: MembershipSecond = { opened: 0, ready: 0, connected: 0, disconnected: 0 }

function timeline(membership: MembershipChanges, deliveries: DeliveryChanges): TimelineSecond[] {
  const seconds = [...new Set([...membership.seconds.keys(), ...deliveries.latencyBySecond.keys()])].sort((a, b) => a - b)
  return seconds.map((second) => {
    const latencyUs = deliveries.latencyBySecond.get(second) ?? emptyHistogram()
    const { opened, ready, connected, disconnected } = membership.seconds.get(second) ?? NOTHING
    return { second, delivered: latencyUs.count, opened, ready, connected, disconnected, latencyUs }
  })
}

/** Only targets that something happened at; the others have nothing to add. */
function targets(membership: MembershipChanges, latencyByTarget: readonly HistogramData[]): TargetCounts[] {
  return membership.targets.flatMap((counts, target) => {
    const latencyUs = latencyByTarget[target] ?? emptyHistogram()
    const isQuiet = latencyUs.count === 0 && Object.values(counts).every((count) => count === 0)
    return isQuiet ? [] : [{ target, ...counts, delivered: latencyUs.count, latencyUs }]
  })
}
