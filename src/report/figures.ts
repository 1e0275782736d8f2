/**
 * The figures a threshold may name: one table, from which the parser, its complaints, `docs/thresholds.md` and `compare`
 * are made. It holds names, units and meanings; the numbers come from a run (`Figures`).
 */
import type { HistogramData } from '../measure/histogram.ts'

/** What a figure is measured in: a time (microseconds), a count, or a rate per second. */
export type FigureUnit = 'us' | 'count' | 'perSecond'

interface ValueFigure {
  readonly unit: FigureUnit
  /** What a percentage is a share of: `ready==100%` is a share of `wanted`. */
  readonly of?: string
  readonly help: string
}

/** Single numbers. */
export const valueFigures = {
  expected: { unit: 'count', help: 'deliveries owed to clients' },
  delivered: { unit: 'count', of: 'expected', help: 'deliveries that came in time' },
  missed: {
    unit: 'count',
    of: 'expected',
    help: 'owed to clients that were disconnected at some time between sent and the end of the drain',
  },
  lost: { unit: 'count', of: 'expected', help: 'owed to connected clients and never heard' },
  unaccounted: { unit: 'count', of: 'expected', help: 'figures that died with a receiver thread or replica' },
  duplicated: { unit: 'count', of: 'expected', help: 'further copies of a delivery' },
  redelivered: { unit: 'count', of: 'expected', help: 'further copies that the target marked as such' },
  outOfOrder: { unit: 'count', of: 'expected', help: 'deliveries after a higher sequence of their stream' },
  early: { unit: 'count', of: 'expected', help: 'heard although sent before the client was ready' },
  late: { unit: 'count', of: 'expected', help: 'heard after the drain had ended (also lost)' },
  unexpected: { unit: 'count', of: 'expected', help: 'heard by a client that does not have the stream' },
  foreign: { unit: 'count', of: 'expected', help: 'probes of another run' },
  negativeLatency: { unit: 'count', of: 'delivered', help: 'deliveries that seem to have come before they were due' },
  deliveryRate: { unit: 'perSecond', of: 'offered', help: 'deliveries a second, from the first to the last' },
  offered: { unit: 'perSecond', help: 'deliveries a second asked of the target while publishing' },
  timeToEmpty: { unit: 'us', help: 'from the last publish to the last delivery' },
  wanted: { unit: 'count', help: 'clients in the roster' },
  opened: { unit: 'count', of: 'wanted', help: 'clients whose socket opened' },
  ready: { unit: 'count', of: 'wanted', help: 'clients whose subscription was acknowledged' },
  failed: { unit: 'count', of: 'wanted', help: 'clients that never became ready' },
  disconnected: { unit: 'count', of: 'wanted', help: 'open connections that were lost' },
  scheduled: { unit: 'count', help: 'probes that were due' },
  published: { unit: 'count', of: 'scheduled', help: 'probes handed to the broker' },
  skipped: { unit: 'count', of: 'scheduled', help: 'probes left out (late slots, or the run was stopped)' },
  confirmed: { unit: 'count', of: 'published', help: 'probes the broker confirmed' },
  returned: { unit: 'count', of: 'published', help: 'probes the broker had no queue for' },
  nacked: { unit: 'count', of: 'published', help: 'probes the broker refused' },
  unknown: { unit: 'count', of: 'published', help: 'probes whose confirm was lost with the connection' },
  resent: { unit: 'count', of: 'published', help: 'probes published again' },
  rate: { unit: 'perSecond', of: 'asked', help: 'probes a second, achieved' },
  asked: { unit: 'perSecond', help: 'probes a second, asked for (absent when MSG_DELAY is 0)' },
  probes: { unit: 'count', help: 'probes owed to at least one client' },
  incomplete: { unit: 'count', of: 'probes', help: 'probes that not every client owed them has heard' },
  clockBound: { unit: 'us', help: 'uncertainty of the clock' },
} as const satisfies Record<string, ValueFigure>

export type ValueName = keyof typeof valueFigures
export const valueNames = Object.keys(valueFigures) as ValueName[]
export const valueFigure = (name: ValueName): ValueFigure => valueFigures[name]

/** Distributions of times; a threshold names one statistic of one: `completion.p99`. Plain `p99` means `delivery.p99`. */
export const distributionFigures = {
  delivery: 'received − intended, per delivery',
  service: 'received − sent, per delivery',
  first: 'intended → the first client heard it, per probe',
  completion: 'intended → the last client heard it, per probe',
  spread: 'first client → last client, per probe',
  lateness: 'sent − intended, per probe',
  confirm: 'sent → confirmed by the broker, per probe',
  connect: 'dial → open, per client',
  ready: 'open → subscription acknowledged, per client',
} as const satisfies Record<string, string>

export type DistributionName = keyof typeof distributionFigures
export const distributionNames = Object.keys(distributionFigures) as DistributionName[]

/** A distribution in which what never came counts as infinitely late. */
export interface Distribution {
  readonly histogram: HistogramData
  /** Samples that never came. */
  readonly missing: number
}

/** Everything thresholds are judged on; a figure that is not there is unknown, not zero. */
export interface Figures {
  readonly values: Readonly<Partial<Record<ValueName, number>>>
  readonly distributions: Readonly<Partial<Record<DistributionName, Distribution>>>
}
