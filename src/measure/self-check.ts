/**
 * Whether the tester itself was the limit (docs/self-check.md): one pure function over what the tester measured of itself. It knows
 * nothing of verdicts. The broker's limits (a full confirm window, an undrained socket, a block) are never evidence against the tester.
 */
import { usToMs } from '../units.ts'
import type { HistogramData } from './histogram.ts'
import { percentile } from './percentiles.ts'
import type { ThreadHealth } from './snapshot.ts'

/** `suspect`: the figures hold, but the tester had a visible part in them. `bound`: they tell of the tester. */
export type TesterHealth = 'healthy' | 'suspect' | 'bound'

/** Both parts must be reached: a time that is worth a word at all, and a share of the p99 latency that it may explain. */
interface DelayLimit {
  readonly us: number
  readonly shareOfP99: number
}

interface Limits {
  /** Share of the time with deliveries in which a receiver thread had no reserve. */
  readonly saturated: number
  /** p99 of a receiver thread: how long the loop had been busy when a delivery was read. */
  readonly passBusy: DelayLimit
  /** Slots that were late because of the publisher's own loop: their share of all, and how late they were on average. */
  readonly lateSlots: number
  readonly lateness: DelayLimit
}

export const selfCheckLimits: Readonly<Record<Exclude<TesterHealth, 'healthy'>, Limits>> = {
  // A tenth of p99 is what one reads past in a report; below 10 ms it is scheduling, of which every machine has some.
  suspect: { saturated: 0.1, passBusy: { us: 10_000, shareOfP99: 0.1 }, lateSlots: 0.01, lateness: { us: 5_000, shareOfP99: 0.1 } },
  // A quarter of p99 changes what one would conclude; sweeps over thousands of clients alone take tens of milliseconds.
  bound: { saturated: 0.5, passBusy: { us: 50_000, shareOfP99: 0.25 }, lateSlots: 0.05, lateness: { us: 20_000, shareOfP99: 0.25 } },
}

/** A p99 of fewer deliveries than this is one delivery's bad luck. */
const MIN_DELIVERIES = 100

export interface SelfCheckFacts {
  readonly receivers: {
    readonly threads: readonly ThreadHealth[]
    readonly latencyUs: HistogramData
  }
  /** undefined when another program publishes. */
  readonly publisher:
    | {
        readonly scheduled: number
        readonly latenessByCause: { readonly loop: { readonly count: number; readonly totalUs: number } }
      }
    | undefined
}

export interface SelfCheck {
  readonly health: TesterHealth
  /** Why, a sentence each with its figures and a remedy; none when healthy. */
  readonly reasons: readonly string[]
}

export function selfCheck(facts: SelfCheckFacts): SelfCheck {
  for (const health of ['bound', 'suspect'] as const) {
    const reasons = reasonsAgainst(facts, selfCheckLimits[health])
    if (reasons.length > 0) return { health, reasons }
  }
  return { health: 'healthy', reasons: [] }
}

function reasonsAgainst({ receivers, publisher }: SelfCheckFacts, limits: Limits): string[] {
  const p99Us = percentile(receivers.latencyUs, P99) ?? 0
  const threads = receivers.threads.filter(({ role }) => role === 'crowd' || role === 'sentinels')
  return [
    ...threads.flatMap((thread) => saturation(thread, limits)),
    ...threads.flatMap((thread) => passBusy(thread, p99Us, limits)),
    ...lateness(publisher, p99Us, limits),
  ]
}

const P99 = 0.99
const REMEDY = 'use more threads or replicas, lower the rate, or give the tester more CPU'

function saturation(thread: ThreadHealth, limits: Limits): string[] {
  const share = thread.loadedUs === 0 ? 0 : thread.saturatedUs / thread.loadedUs
  if (share < limits.saturated) return []
  return [`${nameOf(thread)} had no reserve for ${percent(share)} of the time in which deliveries came: ${REMEDY}`]
}

function passBusy(thread: ThreadHealth, p99Us: number, { passBusy }: Limits): string[] {
  const busyUs = percentile(thread.passBusyUs, P99) ?? 0
  if (thread.passBusyUs.count < MIN_DELIVERIES || !isReached(busyUs, p99Us, passBusy)) return []
  return [
    `${nameOf(thread)} read 1 % of its deliveries after its event loop had been busy for ${ms(busyUs)} or more; ` +
      `with a p99 latency of ${ms(p99Us)} the tester may have delayed them: ${REMEDY}`,
  ]
}

function lateness(publisher: SelfCheckFacts['publisher'], p99Us: number, limits: Limits): string[] {
  const { count, totalUs } = publisher?.latenessByCause.loop ?? { count: 0, totalUs: 0 }
  const share = count === 0 ? 0 : count / publisher!.scheduled
  const meanUs = count === 0 ? 0 : totalUs / count
  if (share < limits.lateSlots || !isReached(meanUs, p99Us, limits.lateness)) return []
  return [
    `The publisher sent ${percent(share)} of the probes late by ${ms(meanUs)} on average because its own event loop was held up; ` +
      `p99 latency is ${ms(p99Us)}: lower the rate, or give the tester more CPU`,
  ]
}

const isReached = (us: number, p99Us: number, limit: DelayLimit): boolean => us >= limit.us && us >= limit.shareOfP99 * p99Us

const nameOf = ({ replica, thread, role }: ThreadHealth): string =>
  `${role === 'sentinels' ? 'The sentinels’ thread' : `Receiver thread ${thread}`} of replica ${replica}`

const percent = (share: number): string => `${Number((share * 100).toPrecision(2))} %`
const ms = (us: number): string => `${Number(usToMs(us).toPrecision(3))} ms`
