/**
 * The figures of a run under way: one small plain object that the progress line, the live terminal view and the live page all
 * show. Pure; what is not known yet is absent.
 */
import { streamRatePerSecond } from '../config/plan.ts'
import type { HistogramData } from '../measure/histogram.ts'
import { percentiles } from '../measure/percentiles.ts'
import { selfCheck, type TesterHealth } from '../measure/self-check.ts'
import type { Phase, RunState } from '../run/result.ts'
import { US_PER_SECOND, usToMs } from '../units.ts'
import { busyRatio } from './groups/tester.ts'

export interface LatencyFigures {
  readonly p50Us: number | undefined
  readonly p99Us: number | undefined
  readonly maxUs: number | undefined
}

export interface LiveFigures {
  readonly runId: string
  readonly phase: Phase
  readonly elapsedMs: number
  /** How far the phase is, where that can be said; `etaMs` at the pace so far. */
  readonly progress:
    | {
        readonly done: number
        readonly total: number
        readonly of: 'clients' | 'probes' | 'deliveries'
        readonly etaMs: number | undefined
      }
    | undefined
  readonly clients: {
    readonly wanted: number
    readonly opened: number
    readonly ready: number
    readonly connected: number
    readonly failed: number
    readonly disconnected: number
  }
  /** undefined when another program publishes. */
  readonly publish:
    | {
        readonly published: number
        readonly total: number | undefined
        readonly confirmed: number
        readonly returned: number
        readonly nacked: number
        readonly unknown: number
        /** In the last whole second. */
        readonly ratePerSecond: number
        readonly askedPerSecond: number | undefined
        /** What stands in the way now. */
        readonly obstacle: string | undefined
        readonly blockedMs: number
      }
    | undefined
  readonly deliveries: {
    readonly delivered: number
    /** Owed and not booked; an estimate until publishing has ended. */
    readonly outstanding: number
    /** In the last whole second. */
    readonly offeredPerSecond: number | undefined
    readonly ratePerSecond: number
    readonly missed: number
    readonly lost: number
    readonly duplicated: number
    readonly outOfOrder: number
  }
  readonly lastSecond: LatencyFigures
  readonly run: LatencyFigures
  readonly tester: {
    readonly health: TesterHealth
    /** The busiest event loop, busy time ÷ time. */
    readonly busiestLoop: number | undefined
  }
}

/** `nowUs`: run clock. */
export function liveFigures(state: RunState, nowUs: number): LiveFigures {
  const { plan, phase, receivers } = state
  const lastSecond = Math.floor(nowUs / US_PER_SECOND) - 1
  const heard = receivers.timeline.find(({ second }) => second === lastSecond)
  const publish = publishFigures(state, nowUs, lastSecond)
  const { wanted, opened, ready, connected, failed, disconnected } = receivers.clients
  const { delivered, missed, lost, duplicated, outOfOrder } = receivers.measured
  return {
    runId: plan.runId,
    phase,
    elapsedMs: usToMs(nowUs - state.startedUs),
    progress: progressOf(state, nowUs),
    clients: { wanted, opened, ready, connected, failed, disconnected },
    publish,
    deliveries: {
      delivered,
      outstanding: outstandingDeliveries(state),
      offeredPerSecond: publish === undefined ? undefined : (publish.ratePerSecond / plan.streams.length) * connected,
      ratePerSecond: heard?.delivered ?? 0,
      missed,
      lost,
      duplicated,
      outOfOrder,
    },
    lastSecond: latencyFigures(heard?.latencyUs),
    run: latencyFigures(receivers.latencyUs),
    tester: testerFigures(state),
  }
}

/**
 * Owed and not yet booked. Once publishing has ended the books know it. Until then it is estimated: each published probe is owed to the
 * clients of its stream that are connected now.
 */
export function outstandingDeliveries({ phase, receivers, publisher, plan }: RunState): number {
  if (phase === 'close' || phase === 'done') return 0
  const { expected, delivered, missed, unaccounted } = receivers.measured
  const owed = Math.max(expected, publisher === undefined ? 0 : (publisher.published / plan.streams.length) * receivers.clients.connected)
  return Math.max(0, Math.round(owed) - delivered - missed - unaccounted)
}

/** Time the broker had publishing blocked; an interval that is still open counts up to `nowUs`. */
export const blockedUs = ({ publisher }: RunState, nowUs: number): number =>
  (publisher?.blocked ?? []).reduce((sum, { startUs, endUs }) => sum + Math.max(0, (endUs ?? nowUs) - startUs), 0)

function publishFigures(state: RunState, nowUs: number, lastSecond: number): LiveFigures['publish'] {
  const { publisher, plan } = state
  if (publisher === undefined) return undefined
  const { published, confirmed, returned, nacked, unknown, obstacle } = publisher
  const streamRate = streamRatePerSecond(plan.publish.pace)
  return {
    published,
    total: totalProbes(state),
    confirmed,
    returned,
    nacked,
    unknown,
    ratePerSecond: publisher.timeline.find(([second]) => second === lastSecond)?.[1] ?? 0,
    askedPerSecond: streamRate === undefined ? undefined : streamRate * plan.streams.length,
    obstacle,
    blockedMs: usToMs(blockedUs(state, nowUs)),
  }
}

const totalProbes = ({ plan }: RunState): number | undefined =>
  plan.publish.countPerStream === undefined ? undefined : plan.publish.countPerStream * plan.streams.length

function progressOf(state: RunState, nowUs: number): LiveFigures['progress'] {
  const { phase, receivers, publisher } = state
  const { wanted, ready, failed } = receivers.clients
  if (phase === 'connect' || phase === 'ready') return withEta(state, nowUs, { done: ready + failed, total: wanted, of: 'clients' })
  const total = totalProbes(state)
  if (phase === 'publish' && publisher !== undefined && total !== undefined) {
    return withEta(state, nowUs, { done: publisher.published + publisher.skipped, total, of: 'probes' })
  }
  const { expected, delivered, missed, unaccounted } = receivers.measured
  if (phase === 'drain' && expected > 0)
    return { done: delivered + missed + unaccounted, total: expected, of: 'deliveries', etaMs: undefined }
  return undefined
}

function withEta(
  { phaseStartedUs }: RunState,
  nowUs: number,
  progress: { done: number; total: number; of: 'clients' | 'probes' },
): LiveFigures['progress'] {
  const elapsedMs = usToMs(nowUs - phaseStartedUs)
  const etaMs = progress.done > 0 && elapsedMs > 0 ? (elapsedMs / progress.done) * (progress.total - progress.done) : undefined
  return { ...progress, etaMs }
}

function latencyFigures(histogram: HistogramData | undefined): LatencyFigures {
  if (histogram === undefined) return { p50Us: undefined, p99Us: undefined, maxUs: undefined }
  const { p50, p99 } = percentiles(histogram)
  return { p50Us: p50, p99Us: p99, maxUs: histogram.max }
}

function testerFigures(state: RunState): LiveFigures['tester'] {
  const { receivers, publisher } = state
  const threads = [...receivers.threads, ...(publisher === undefined ? [] : [publisher.thread])]
  const ratios = threads.filter(({ spanUs }) => spanUs > 0).map(({ busyUs, spanUs }) => busyRatio(busyUs, spanUs))
  return { health: selfCheck(state).health, busiestLoop: ratios.length === 0 ? undefined : Math.max(...ratios) }
}
