/**
 * The verdict in one sentence, as every output begins with it. It reads a finished report and adds nothing to it.
 */
import { formatCount, formatCounted, formatDuration, formatShare } from './format.ts'
import type { Report, Summary } from './schema.ts'

const words: Record<Report['verdict']['outcome'], string> = {
  pass: 'PASS',
  fail: 'FAIL',
  refused: 'NOT RUN',
  invalid: 'INVALID',
  interrupted: 'INTERRUPTED',
  fault: 'FAULT',
}

export interface Headline {
  /** `PASS`, `FAIL`, … */
  readonly word: string
  readonly sentence: string
}

export function headline(report: Report): Headline {
  const word = words[report.verdict.outcome]
  if (report.verdict.outcome === 'pass') return { word, sentence: passSentence(report) }
  if (report.verdict.outcome === 'fail') return { word, sentence: failSentence(report) }
  return { word, sentence: report.verdict.reasons[0]?.text ?? `the run ended ${report.stopReason}` }
}

/** "all 1,000 clients heard all 300 probes; in 95 % of cases the last one within 38 ms". */
function passSentence({ clients, deliveries, fanout, streams = [] }: Report): string {
  const isEveryone = clients.ready === clients.wanted
  const who = isEveryone
    ? `all ${formatCounted(clients.ready, 'client')}`
    : `${formatCount(clients.ready)} of ${formatCounted(clients.wanted, 'client')}`
  if (deliveries.delivered < deliveries.expected) {
    return `${who} heard ${formatShare(deliveries.delivered / deliveries.expected)} of ${formatCounted(deliveries.expected, 'delivery', 'deliveries')}${tail(fanout.completionUs)}`
  }
  const probes = formatCounted(fanout.probes, 'probe')
  const what = streams.length > 1 ? `every probe of their streams (${probes} in ${formatCount(streams.length)} streams)` : `all ${probes}`
  return `${who} heard ${what}${tail(fanout.completionUs)}`
}

const percentiles = [
  ['p99', '99 %'],
  ['p95', '95 %'],
  ['p90', '90 %'],
] as const

/** The furthest percentile that is known, p99 at most: further out the sentence would tell less, not more. */
function tail(completion: Summary): string {
  for (const [name, share] of percentiles) {
    const us = completion[name]
    if (us !== undefined) return `; in ${share} of cases the last one within ${formatDuration(us)}`
  }
  return completion.max === undefined ? '' : `; the last one within ${formatDuration(completion.max)}`
}

/** What people most need to know first: what went away, what was not heard, who was not there, then the first broken check. */
function failSentence(report: Report): string {
  const { deliveries, clients, verdict, stopReason } = report
  const sentences = [
    stopReason === 'target-lost' || stopReason === 'broker-lost' || stopReason === 'deadline' ? (verdict.reasons[0]?.text ?? '') : '',
    notHeard(deliveries),
    clients.ready < clients.wanted
      ? `${formatCount(clients.wanted - clients.ready)} of ${formatCounted(clients.wanted, 'client')} never became ready`
      : '',
  ].filter((text) => text !== '')
  return sentences.length > 0 ? sentences.join('; ') : (verdict.reasons[0]?.text ?? 'a check was broken')
}

/** "142 of 187,000 deliveries were lost and 10 missed". */
function notHeard({ expected, lost, missed }: Report['deliveries']): string {
  if (lost === 0 && missed === 0) return ''
  const [count, word] = lost > 0 ? [lost, 'lost'] : [missed, 'missed']
  const more = lost > 0 && missed > 0 ? ` and ${formatCount(missed)} missed` : ''
  return `${formatCount(count)} of ${formatCounted(expected, 'delivery', 'deliveries')} ${count === 1 ? 'was' : 'were'} ${word}${more}`
}
