/**
 * `fanfare doctor`'s page: what the planned run needs, what this machine has, and how to get what is missing. It shows
 * findings of the preflight and decides nothing.
 */
import { type OfferedLoad, offeredLoad, type Plan } from '../config/plan.ts'
import type { Finding } from '../run/preflight.ts'
import { alignColumns } from './columns.ts'
import { formatCount, formatCounted, formatNumber } from './format.ts'

const MARK = { ok: 'ok', warning: 'warn', refused: 'NO', unknown: '?' } as const

/** Plain text for a terminal; only the remedies, which are there to be copied, may be longer than 80 columns. */
export function doctorText(plan: Plan, findings: readonly Finding[]): string {
  const rows = [
    ['', 'resource', 'needed', 'there'],
    ...findings.map(({ state, resource, needed, there }) => [MARK[state], resource, needed, there]),
  ]
  const isRefused = findings.some((finding) => finding.state === 'refused')
  return [
    `${formatCounted(plan.roster.clients, 'client')} to ${formatCounted(plan.settings.wsAddr.length, 'target')}, ${offeredText(offeredLoad(plan))}`,
    '',
    ...alignColumns(rows, 'l'),
    ...findings.filter((finding) => finding.text !== '').flatMap((finding) => ['', `${MARK[finding.state]}: ${finding.text}`]),
    '',
    isRefused ? 'A run would be refused (exit code 3).' : 'This machine can hold the run.',
  ].join('\n')
}

/** "50,000 deliveries a second offered, 100,000 in all"; what is not known beforehand is left out. */
export function offeredText({ deliveriesPerSecond, deliveries }: OfferedLoad): string {
  const rate =
    deliveriesPerSecond === undefined
      ? 'deliveries offered as fast as probes get in'
      : `${formatNumber(deliveriesPerSecond)} deliveries a second offered`
  return deliveries === undefined ? rate : `${rate}, ${formatCount(deliveries)} in all`
}
