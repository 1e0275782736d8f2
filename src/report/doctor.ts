/**
 * `fanfare doctor`'s page: what the planned run needs, what this machine has, and how to get what is missing. It shows
 * findings of the preflight and decides nothing.
 */
import type { Plan } from '../config/plan.ts'
import type { Finding } from '../run/preflight.ts'
import { formatCount, formatCounted, formatRate } from './format.ts'

export interface DoctorFacts {
  readonly plan: Plan
  /** Clients of this process. */
  readonly clients: number
  readonly findings: readonly Finding[]
  readonly offered: { readonly deliveriesPerSecond: number | undefined; readonly deliveries: number | undefined }
}

const MARK = { ok: 'ok', warning: 'warn', refused: 'NO', unknown: '?' } as const

/** Plain text, at most 80 columns but for the remedies. */
export function doctorPage({ plan, clients, findings, offered }: DoctorFacts): string {
  const rows = [
    ['', 'resource', 'needed', 'there'],
    ...findings.map(({ state, resource, needed, there }) => [MARK[state], resource, needed, there]),
  ]
  const isRefused = findings.some((finding) => finding.state === 'refused')
  return [
    `${formatCounted(clients, 'client')} in this process, to ${plan.settings.wsAddr.length === 1 ? 'one target' : `${plan.settings.wsAddr.length} targets`}`,
    offeredLine(offered),
    '',
    ...alignColumns(rows),
    ...findings.filter((finding) => finding.text !== '').flatMap((finding) => ['', `${MARK[finding.state]}: ${finding.text}`]),
    '',
    isRefused ? 'A run would be refused (exit code 3).' : 'This machine can hold the run.',
    '',
  ].join('\n')
}

/** The load in words; what is not known is left out. */
export function offeredLine({ deliveriesPerSecond, deliveries }: DoctorFacts['offered']): string {
  const rate =
    deliveriesPerSecond === undefined ? 'offered as fast as probes get in' : `${formatRate(deliveriesPerSecond)} deliveries offered`
  return deliveries === undefined ? rate : `${rate}, ${formatCount(deliveries)} in all`
}

function alignColumns(rows: readonly (readonly string[])[]): string[] {
  const widths = rows[0]!.map((_, column) => Math.max(...rows.map((row) => row[column]!.length)))
  return rows.map((row) =>
    row
      .map((cell, column) => cell.padEnd(widths[column]!))
      .join('  ')
      .trimEnd(),
  )
}
