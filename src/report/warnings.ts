/**
 * What a reader of the figures should know before believing or blaming them: one rule per warning, each with a stable code.
 * Warnings never decide the verdict. The rules read the finished groups of a report and the few facts only the run has.
 */
import { formatCount, formatCounted, formatDuration, formatDurationMs, formatRate } from './format.ts'
import type { Report } from './schema.ts'

/** The report as far as it is built when warnings are due. */
export type ReportDraft = Omit<Report, 'verdict'>

export interface WarningFacts {
  readonly report: ReportDraft
  /** INJECTOR=none without MSG_COUNT. */
  readonly isTotalUnknown: boolean
  /** ALLOW_INVALID. */
  readonly allowInvalid: boolean
}

/** Below this share of what was asked, a rate counts as not reached. */
const REACHED_SHARE = 0.99
/** A queue that takes this long to empty after the last publish, and this share of the time of publishing, is overload. */
const OVERLOAD_EMPTY_MS = 1_000
const OVERLOAD_EMPTY_SHARE = 0.1
/** Lateness that a full window, a drain or a blocked broker caused is told from this size on. */
const PRESSURE_US = 10_000
/** Replicas named one by one in a sentence. */
const MAX_REPLICAS_NAMED = 5

/** Every code with its meaning (docs/reading-a-report.md repeats this table; a test compares them). */
export const warningsTable = {
  shortfall: 'Fewer clients became ready than were wanted.',
  'replica-shortfall': 'The clients of some replicas did not all become ready.',
  'heard-nothing': 'Clients were ready and heard no measured probe at all.',
  'slow-client-cut': 'The target cut connections without a close frame, as servers do with clients that read too slowly.',
  overload: 'More was offered than delivered: latencies measure the depth of a queue.',
  'pacing-closed': 'MSG_DELAY=0: without slots, a stall of the publisher does not show in latencies.',
  'rate-not-reached': 'Probes were published more slowly than asked.',
  'broker-pressure': 'The broker made the publisher wait (full window, undrained socket, blocked or lost connection).',
  'broker-blocked': 'The broker blocked publishing (connection.blocked).',
  'broker-reconnected': 'The broker connection was lost and had again.',
  'probes-skipped': 'Probes were left out.',
  'probes-returned': 'The broker had no queue for some probes.',
  'probes-nacked': 'The broker refused some probes.',
  'probes-unknown': 'The confirms of some probes were lost with the connection.',
  'late-deliveries': 'Deliveries came after the drain had ended; they stay lost.',
  'foreign-probes': 'Probes of another run were heard.',
  'unexpected-probes': 'Clients heard probes of streams they do not have.',
  'error-frames': 'The target sent error frames.',
  'negative-latency': 'Deliveries seem to have come before they were due, by more than the clock bound explains.',
  'clock-stepped': 'The clock of a replica jumped against the coordinator’s while the run went on.',
  'tail-invisible': 'Another program published and MSG_COUNT is not set: probes lost after the last one heard are invisible.',
  'fanout-capped': 'First, completion and spread leave deliveries out, because the number of rows is capped.',
  'tester-suspect': 'The tester was busy enough to show in the figures.',
  'tester-bound-allowed': 'The tester was the limit; ALLOW_INVALID lets thresholds judge all the same.',
} as const

export type WarningCode = keyof typeof warningsTable

/** The sentence, or undefined when there is nothing to warn about. */
type Rule = (facts: WarningFacts) => string | undefined

export function findWarnings(facts: WarningFacts): { code: string; text: string }[] {
  return (Object.keys(rules) as WarningCode[]).flatMap((code) => {
    const text = rules[code](facts)
    return text === undefined ? [] : [{ code, text }]
  })
}

const rules: Record<WarningCode, Rule> = {
  shortfall: ({ report: { clients } }) =>
    clients.ready >= clients.wanted
      ? undefined
      : `${formatCount(clients.wanted - clients.ready)} of ${formatCounted(clients.wanted, 'client')} never became ready${byCode(clients)}`,

  'replica-shortfall': ({ report: { replicas } }) => {
    const behind = replicas.filter(({ clients }) => clients.ready < clients.wanted)
    // Of a single replica the shortfall says everything already.
    if (behind.length === 0 || replicas.length < 2) return undefined
    const shown = behind
      .slice(0, MAX_REPLICAS_NAMED)
      .map(({ replica, name, clients }) => `${replica} (${name}) ${formatCount(clients.ready)} of ${formatCount(clients.wanted)}`)
    const more = behind.length > shown.length ? `, and ${behind.length - shown.length} more` : ''
    return `Ready by replica, where it is not all: ${shown.join(', ')}${more}`
  },

  'heard-nothing': ({ report: { clients } }) => {
    const { heardNothing = 0 } = clients
    return heardNothing === 0 ? undefined : `${formatCounted(heardNothing, 'client was', 'clients were')} ready and heard no probe at all`
  },

  'slow-client-cut': ({ report }) => {
    const count = report.clients.errorsByCode['cut-by-target'] ?? 0
    if (count === 0) return undefined
    const cut = report.worst.clients.find((client) => client.endCode === 'cut-by-target')
    const example =
      cut === undefined
        ? ''
        : `; client ${cut.index} (${cut.localAddress}:${cut.localPort}) had last heard probe ${cut.lastSequence}` +
          (cut.passBusyUs === undefined ? '' : `, and the tester's loop had then been busy for ${formatDuration(cut.passBusyUs)}`)
    return `The target cut ${formatCounted(count, 'connection')} without a close frame: a probable slow-client cut${example}`
  },

  overload: ({ report: { deliveries, publish } }) => {
    const { offeredPerSecond: offered, ratePerSecond: delivered, timeToEmptyMs } = deliveries
    if (offered === undefined || delivered === undefined || timeToEmptyMs === undefined) return undefined
    const longMs = Math.max(OVERLOAD_EMPTY_MS, OVERLOAD_EMPTY_SHARE * (publish?.durationMs ?? 0))
    if (delivered >= REACHED_SHARE * offered || timeToEmptyMs < longMs) return undefined
    return (
      `${formatRate(offered)} offered, ${formatRate(delivered)} delivered, ${formatDurationMs(timeToEmptyMs)} to empty after the last publish: ` +
      'under overload latency measures the depth of a queue, not the speed of the target'
    )
  },

  'pacing-closed': ({ report }) =>
    report.pacing === 'closed' ? 'MSG_DELAY=0 gives probes no slots (intended = sent), so stalls of the publisher are hidden' : undefined,

  'rate-not-reached': ({ report: { publish } }) => {
    const { targetRatePerSecond: asked, achievedRatePerSecond: achieved } = publish ?? {}
    if (asked === undefined || achieved === undefined || achieved >= REACHED_SHARE * asked) return undefined
    return `${formatRate(asked)} asked, ${formatRate(achieved)} published`
  },

  'broker-pressure': ({ report: { publish } }) => {
    const late = Object.entries(publish?.latenessByCause ?? {}).filter(([cause, { maxUs }]) => cause !== 'loop' && maxUs >= PRESSURE_US)
    if (late.length === 0) return undefined
    const causes = late.map(([cause, { count, maxUs }]) => `${formatCounted(count, 'probe')} up to ${formatDuration(maxUs)} (${cause})`)
    return `The broker made the publisher wait: ${causes.join(', ')}`
  },

  'broker-blocked': ({ report: { publish, durationMs } }) => {
    const blocked = publish?.blocked ?? []
    if (blocked.length === 0) return undefined
    const totalMs = blocked.reduce((sum, { startMs, endMs }) => sum + ((endMs ?? durationMs) - startMs), 0)
    const isOpen = blocked.some(({ endMs }) => endMs === undefined)
    const reasons = [...new Set(blocked.map(({ reason }) => reason ?? '').filter((text) => text !== ''))]
    return (
      `The broker blocked publishing ${formatCounted(blocked.length, 'time')}, ${formatDurationMs(totalMs)} in all${isOpen ? ' and until the end' : ''}` +
      (reasons.length > 0 ? ` (${reasons.join('; ')})` : '')
    )
  },

  'broker-reconnected': ({ report: { publish } }) =>
    (publish?.connectionLosses ?? 0) === 0
      ? undefined
      : `The broker connection was lost ${formatCounted(publish!.connectionLosses!, 'time')}`,

  'probes-skipped': ({ report: { publish } }) =>
    publish === undefined || publish.skipped === 0
      ? undefined
      : `${formatCount(publish.skipped)} of ${formatCounted(publish.scheduled, 'probe')} were left out and are owed to nobody`,

  'probes-returned': ({ report: { publish } }) =>
    publish === undefined || publish.returned === 0
      ? undefined
      : `The broker had no queue for ${formatCounted(publish.returned, 'probe')}: was the target bound to the exchange all the time?`,

  'probes-nacked': ({ report: { publish } }) =>
    publish === undefined || publish.nacked === 0 ? undefined : `The broker refused ${formatCounted(publish.nacked, 'probe')} (nack)`,

  'probes-unknown': ({ report: { publish } }) =>
    publish === undefined || publish.unknown === 0
      ? undefined
      : `The confirms of ${formatCounted(publish.unknown, 'probe')} were lost with the connection; they are owed only when somebody heard them`,

  'late-deliveries': ({ report: { deliveries } }) =>
    deliveries.late === 0
      ? undefined
      : `${formatCounted(deliveries.late, 'delivery', 'deliveries')} came after the drain had ended and stay lost: raise QUIET_MS`,

  'foreign-probes': ({ report: { deliveries } }) =>
    deliveries.foreign === 0
      ? undefined
      : `${formatCounted(deliveries.foreign, 'probe')} of another run came in: another run uses the same stream`,

  'unexpected-probes': ({ report: { deliveries } }) =>
    deliveries.unexpected === 0
      ? undefined
      : `${formatCounted(deliveries.unexpected, 'delivery', 'deliveries')} came on streams that the client does not have`,

  'error-frames': ({ report: { otherFrames } }) => {
    const count = otherFrames?.error ?? 0
    return count === 0 ? undefined : `The target sent ${formatCounted(count, 'error frame')}`
  },

  'negative-latency': ({ report: { deliveries, latencyUs, clock } }) => {
    const { min } = latencyUs
    if (deliveries.negativeLatency === 0 || min === undefined || -min <= clock.boundUs) return undefined
    return (
      `${formatCounted(deliveries.negativeLatency, 'delivery', 'deliveries')} seem to have come before they were due, by up to ${formatDuration(-min)}: ` +
      `more than the clock bound of ± ${formatDuration(clock.boundUs)} explains`
    )
  },

  'clock-stepped': ({ report: { clock } }) => {
    const stepped = clock.offsets.filter(({ steps = 0 }) => steps > 0).map(({ replica }) => replica)
    return stepped.length === 0 ? undefined : `The clock jumped at replica ${stepped.join(', ')}: it was set, or the machine stood still`
  },

  'tail-invisible': ({ isTotalUnknown }) =>
    isTotalUnknown
      ? 'Another program published and MSG_COUNT is not set: as many probes are owed as the highest sequence heard, so a lost tail is invisible'
      : undefined,

  'fanout-capped': ({ report: { fanout } }) =>
    (fanout.capped ?? 0) === 0
      ? undefined
      : `First, completion and spread leave ${formatCounted(fanout.capped!, 'delivery', 'deliveries')} out: too many probes were under way at once`,

  'tester-suspect': ({ report: { tester } }) => (tester.health === 'suspect' ? tester.reasons.join('; ') : undefined),

  'tester-bound-allowed': ({ report: { tester }, allowInvalid }) =>
    tester.health === 'bound' && allowInvalid ? `${tester.reasons.join('; ')} (ALLOW_INVALID)` : undefined,
}

const byCode = ({ errorsByCode, errorTexts = {} }: ReportDraft['clients']): string => {
  const parts = Object.entries(errorsByCode).map(
    ([code, count]) => `${formatCount(count)} × ${code}${errorTexts[code] === undefined ? '' : `: ${errorTexts[code]}`}`,
  )
  return parts.length === 0 ? '' : ` (${parts.join('; ')})`
}
