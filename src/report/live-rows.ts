/** The figures of a run under way in words, row by row, for the terminal and for the live page. */
import { formatCount, formatDuration, formatDurationMs, formatRate, formatShare } from './format.ts'
import type { LatencyFigures, LiveFigures } from './live-figures.ts'

/** One line: what it is, and its parts from the most to the least important; where there is little room the last ones are dropped. */
export interface LiveRow {
  readonly label: string
  readonly parts: readonly string[]
  /** Drawn as a warning. */
  readonly isBad?: boolean
}

export function liveRows(figures: LiveFigures): LiveRow[] {
  const { clients, deliveries, publish } = figures
  return [
    {
      label: 'clients',
      parts: [
        `${formatCount(clients.ready)} ready`,
        `${formatCount(clients.opened)} opened`,
        `${formatCount(clients.wanted)} wanted`,
        ...ifAny(clients.failed, 'failed'),
        ...ifAny(clients.disconnected, 'disconnected'),
      ],
      isBad: clients.failed > 0 || clients.disconnected > 0,
    },
    ...(publish === undefined ? [] : publishRows(publish)),
    {
      label: 'deliveries',
      parts: [
        formatCount(deliveries.delivered),
        deliveries.offeredPerSecond === undefined
          ? formatRate(deliveries.ratePerSecond)
          : `${formatRate(deliveries.ratePerSecond)} of ${formatRate(deliveries.offeredPerSecond)} offered`,
        `${formatCount(deliveries.outstanding)} outstanding`,
      ],
    },
    {
      label: '',
      parts: [
        `${formatCount(deliveries.lost)} lost`,
        `${formatCount(deliveries.missed)} missed`,
        `${formatCount(deliveries.duplicated)} duplicated`,
        `${formatCount(deliveries.outOfOrder)} out of order`,
      ],
      isBad: deliveries.lost + deliveries.missed + deliveries.duplicated + deliveries.outOfOrder > 0,
    },
    { label: 'last second', parts: latencyParts(figures.lastSecond) },
    { label: 'run', parts: latencyParts(figures.run) },
    {
      label: 'tester',
      parts: [
        figures.tester.health,
        ...(figures.tester.busiestLoop === undefined ? [] : [`event loops up to ${formatShare(figures.tester.busiestLoop)} busy`]),
      ],
      isBad: figures.tester.health !== 'healthy',
    },
  ]
}

function publishRows(publish: NonNullable<LiveFigures['publish']>): LiveRow[] {
  const asked = publish.askedPerSecond === undefined ? '' : ` of ${formatRate(publish.askedPerSecond)} asked`
  return [
    {
      label: 'probes',
      parts: [
        publish.total === undefined ? formatCount(publish.published) : `${formatCount(publish.published)} of ${formatCount(publish.total)}`,
        `${formatRate(publish.ratePerSecond)}${asked}`,
        `${formatCount(publish.confirmed)} confirmed`,
        ...ifAny(publish.returned, 'returned'),
        ...ifAny(publish.nacked, 'nacked'),
        ...ifAny(publish.unknown, 'unknown'),
      ],
      isBad: publish.returned + publish.nacked + publish.unknown > 0,
    },
    {
      label: 'broker',
      parts: [
        publish.obstacle ?? 'flowing',
        ...(publish.blockedMs > 0 ? [`blocked for ${formatDurationMs(publish.blockedMs)} so far`] : []),
      ],
      isBad: publish.obstacle === 'blocked' || publish.obstacle === 'disconnected',
    },
  ]
}

const ifAny = (count: number, word: string): string[] => (count > 0 ? [`${formatCount(count)} ${word}`] : [])

const latencyParts = ({ p50Us, p99Us, maxUs }: LatencyFigures): string[] => {
  const known: [string, number | undefined][] = [
    ['p50', p50Us],
    ['p99', p99Us],
    ['max', maxUs],
  ]
  return known.map(([name, us]) => `${name} ${us === undefined ? '–' : formatDuration(us)}`)
}
