/** One plain line about a run under way, for logs and pipes; a terminal gets the live view instead. Pure. */
import { formatCount, formatDuration, formatDurationMs, formatElapsed, formatRate, formatShare } from './format.ts'
import type { LatencyFigures, LiveFigures } from './live-figures.ts'

/** Without a newline. Parts that say nothing yet are left out. */
export function progressLine(figures: LiveFigures): string {
  return [
    `${formatElapsed(figures.elapsedMs)} ${figures.phase}${progressText(figures)}`,
    clientsText(figures),
    publishText(figures),
    deliveriesText(figures),
    isOver(figures.phase) ? '' : latencyText('last second', figures.lastSecond),
    latencyText('run', figures.run),
    oddText(figures),
  ]
    .filter((text) => text !== '')
    .join(' | ')
}

function progressText({ progress }: LiveFigures): string {
  if (progress === undefined || progress.total === 0) return ''
  const eta = progress.etaMs === undefined || progress.done >= progress.total ? '' : `, ${formatDurationMs(progress.etaMs)} to go`
  return ` ${formatShare(progress.done / progress.total)} of ${formatCount(progress.total)} ${progress.of}${eta}`
}

function clientsText({ clients }: LiveFigures): string {
  const lost = clients.disconnected > 0 ? `, ${formatCount(clients.disconnected)} disconnected` : ''
  const failed = clients.failed > 0 ? `, ${formatCount(clients.failed)} failed` : ''
  return `clients ${formatCount(clients.opened)} open, ${formatCount(clients.ready)} ready of ${formatCount(clients.wanted)}${failed}${lost}`
}

function publishText({ publish, phase }: LiveFigures): string {
  if (publish === undefined || publish.published === 0) return ''
  const isPublishing = phase === 'publish'
  const rate = isPublishing ? ` at ${formatRate(publish.ratePerSecond)}` : ''
  const obstacle = isPublishing && publish.obstacle !== undefined ? ` (${publish.obstacle})` : ''
  return `published ${formatCount(publish.published)}${rate}${obstacle}`
}

/** Rates mean nothing any more. */
const isOver = (phase: LiveFigures['phase']): boolean => phase === 'close' || phase === 'done'

function deliveriesText({ deliveries, publish, phase }: LiveFigures): string {
  if (deliveries.delivered === 0 && (publish?.published ?? 0) === 0) return ''
  if (isOver(phase)) return `delivered ${formatCount(deliveries.delivered)}`
  // In the drain nothing is offered any more.
  const offered =
    phase === 'drain' || deliveries.offeredPerSecond === undefined ? '' : ` of ${formatRate(deliveries.offeredPerSecond)} offered`
  return `delivered ${formatCount(deliveries.delivered)} at ${formatRate(deliveries.ratePerSecond)}${offered}, ${formatCount(deliveries.outstanding)} outstanding`
}

function latencyText(label: string, { p50Us, p99Us, maxUs }: LatencyFigures): string {
  if (maxUs === undefined) return ''
  const parts = [
    p50Us === undefined ? '' : `p50 ${formatDuration(p50Us)}`,
    p99Us === undefined ? '' : `p99 ${formatDuration(p99Us)}`,
    `max ${formatDuration(maxUs)}`,
  ]
  return `${label} ${parts.filter((text) => text !== '').join(' ')}`
}

function oddText({ deliveries }: LiveFigures): string {
  const named = [
    ['lost', 'lost'],
    ['missed', 'missed'],
    ['duplicated', 'duplicated'],
    ['outOfOrder', 'out of order'],
  ] as const
  return named
    .filter(([name]) => deliveries[name] > 0)
    .map(([name, words]) => `${formatCount(deliveries[name])} ${words}`)
    .join(', ')
}
