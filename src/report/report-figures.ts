/**
 * The figures that thresholds and comparisons may name: single numbers from the groups of a report, and distributions together with how many
 * of their samples never came.
 */
import type { HistogramData } from '../measure/histogram.ts'
import { msToUs } from '../units.ts'
import type { DistributionName, Figures } from './figures.ts'
import type { Report } from './schema.ts'

type Groups = Pick<Report, 'deliveries' | 'clients' | 'publish' | 'fanout' | 'clock'>

export type Histograms = Readonly<Partial<Record<DistributionName, HistogramData | undefined>>>

export const figuresFrom = (groups: Groups, histograms: Histograms): Figures => ({
  values: valuesOf(groups),
  distributions: distributionsOf(groups, histograms),
})

function valuesOf({ deliveries, clients, publish, fanout, clock }: Groups): Figures['values'] {
  const { expected, delivered, missed, lost, unaccounted, duplicated, redelivered, outOfOrder } = deliveries
  const { early, late, unexpected, foreign, negativeLatency, timeToEmptyMs } = deliveries
  const { wanted, opened, ready, failed, disconnected } = clients
  return known({
    expected,
    delivered,
    missed,
    lost,
    unaccounted,
    duplicated,
    redelivered,
    outOfOrder,
    early,
    late,
    unexpected,
    foreign,
    negativeLatency,
    deliveryRate: deliveries.ratePerSecond,
    offered: deliveries.offeredPerSecond,
    timeToEmpty: timeToEmptyMs === undefined ? undefined : msToUs(timeToEmptyMs),
    wanted,
    opened,
    ready,
    failed,
    disconnected,
    scheduled: publish?.scheduled,
    published: publish?.published,
    skipped: publish?.skipped,
    confirmed: publish?.confirmed,
    returned: publish?.returned,
    nacked: publish?.nacked,
    unknown: publish?.unknown,
    resent: publish?.resent,
    rate: publish?.achievedRatePerSecond,
    asked: publish?.targetRatePerSecond,
    probes: fanout.probes,
    incomplete: fanout.incomplete,
    clockBound: clock.boundUs,
  })
}

function distributionsOf(groups: Groups, histograms: Histograms): Figures['distributions'] {
  const missing = missingOf(groups)
  return Object.fromEntries(
    Object.entries(histograms).flatMap(([name, histogram]) =>
      histogram === undefined ? [] : [[name, { histogram, missing: missing[name as DistributionName] }]],
    ),
  )
}

/** How many samples of each distribution never came. */
function missingOf({ deliveries, clients, publish, fanout }: Groups): Record<DistributionName, number> {
  const notDelivered = deliveries.missed + deliveries.lost + deliveries.unaccounted
  return {
    delivery: notDelivered,
    service: notDelivered,
    first: Math.max(0, fanout.probes - fanout.firstUs.count),
    completion: fanout.incomplete,
    spread: fanout.incomplete,
    lateness: publish?.skipped ?? 0,
    confirm: publish === undefined ? 0 : publish.published - publish.confirmed,
    connect: clients.wanted - clients.opened,
    ready: clients.wanted - clients.ready,
  }
}

/** Without the members that are undefined. */
const known = <K extends string, V>(record: Record<K, V | undefined>): Partial<Record<K, V>> =>
  Object.fromEntries(Object.entries(record).filter(([, value]) => value !== undefined)) as Partial<Record<K, V>>
