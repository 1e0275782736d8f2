/** The books, and how the load that was offered compares with what was delivered. */
import type { DeliveryCounts, Snapshot } from '../../measure/snapshot.ts'
import type { PublisherSnapshot } from '../../run/publisher.ts'
import { usToMs, usToSeconds } from '../../units.ts'
import type { Report } from '../schema.ts'

export interface DeliveryFacts {
  readonly receivers: Snapshot
  /** Whose pace it was; undefined when another program published. */
  readonly publisher: PublisherSnapshot | undefined
  /** Last probe handed to the injector, run clock. */
  readonly publishEndedUs: number | undefined
}

export function deliveriesGroup({ receivers, publisher, publishEndedUs }: DeliveryFacts): Report['deliveries'] {
  return {
    ...receivers.measured,
    resentDuplicates: receivers.resentDuplicates,
    resentOutOfOrder: receivers.resentOutOfOrder,
    offeredPerSecond: offeredPerSecond(receivers.measured.expected, publisher),
    ratePerSecond: deliveredPerSecond(receivers),
    timeToEmptyMs: publisher === undefined ? undefined : timeToEmptyMs(receivers, publishEndedUs),
  }
}

export const sideBooks = ({ delivered, duplicated, early, late }: DeliveryCounts): NonNullable<Report['warmup']> => ({
  delivered,
  duplicated,
  early,
  late,
})

/** Deliveries owed per published probe, at the pace at which probes were published. */
function offeredPerSecond(expected: number, publisher: PublisherSnapshot | undefined): number | undefined {
  if (publisher?.achievedRatePerSecond === undefined || publisher.published === 0) return undefined
  return (expected / publisher.published) * publisher.achievedRatePerSecond
}

function deliveredPerSecond({ measured, firstDeliveryUs, lastDeliveryUs }: Snapshot): number | undefined {
  if (firstDeliveryUs === undefined || lastDeliveryUs === undefined || lastDeliveryUs <= firstDeliveryUs) return undefined
  return measured.delivered / usToSeconds(lastDeliveryUs - firstDeliveryUs)
}

/** 0 when the last delivery came before the last publish: there was nothing left to empty. */
function timeToEmptyMs({ lastDeliveryUs }: Snapshot, publishEndedUs: number | undefined): number | undefined {
  if (lastDeliveryUs === undefined || publishEndedUs === undefined) return undefined
  return Math.max(0, usToMs(lastDeliveryUs - publishEndedUs))
}
