/**
 * Where each metric's value comes from: one reader per name, from the state of the run at the moment of the scrape. Pure.
 * What is not known yet reads 0, so that every series exists from the first scrape on.
 */
import { type CountedCode, errorTable } from '../errors.ts'
import { emptyHistogram } from '../measure/histogram.ts'
import { sumHistograms } from '../measure/histogram-merge.ts'
import { selfCheck } from '../measure/self-check.ts'
import type { ThreadHealth } from '../measure/snapshot.ts'
import { completionSoFar } from '../report/completion-so-far.ts'
import { blockedUs, outstandingDeliveries } from '../report/live-figures.ts'
import { outcomes, type VerdictOutcome } from '../report/verdict.ts'
import { phases, type RunState } from '../run/result.ts'
import { usToSeconds } from '../units.ts'
import type { MetricName } from './names.ts'
import { countPer, gauge, histogramSamples, oneOf, type Sample } from './samples.ts'

/** What a scrape reads. */
export interface ScrapeFacts {
  readonly state: RunState
  /** undefined until it is decided. */
  readonly outcome: VerdictOutcome | undefined
  readonly version: string
  /** The threads whose figures this process exports. */
  readonly threads: readonly ThreadHealth[]
  readonly threadRoles: readonly ThreadHealth['role'][]
}

type Reader = (facts: ScrapeFacts, name: MetricName) => Sample[]

/** Ends of connections that had been open; every other counted code is a failed attempt. */
const disconnectCodes: readonly CountedCode[] = [
  'ended-by-target',
  'closed-by-target',
  'cut-by-target',
  'reset-by-target',
  'protocol-error',
  'frame-too-big',
  'socket-error',
]
const connectCodes = (Object.keys(errorTable) as CountedCode[]).filter(
  (code) => errorTable[code].outcome === 'counted' && !disconnectCodes.includes(code),
)

const clientStates = ['wanted', 'opened', 'ready', 'failed', 'connected'] as const

const receivers =
  (read: (receivers: RunState['receivers']) => number): Reader =>
  ({ state }) =>
    gauge(read(state.receivers))

const publisher =
  (read: (publisher: NonNullable<RunState['publisher']>) => number): Reader =>
  ({ state }) =>
    gauge(state.publisher === undefined ? 0 : read(state.publisher))

/** Lost and missed are final only when the drain has ended; before, a hole may still be filled. */
const afterDrain =
  (read: (receivers: RunState['receivers']) => number): Reader =>
  ({ state }) =>
    gauge(isDrained(state) ? read(state.receivers) : 0)

const isDrained = ({ phase }: RunState): boolean => phase === 'close' || phase === 'done'

export const readers: Record<MetricName, Reader> = {
  fanfare_run_info: ({ state: { plan }, version }) =>
    gauge(1, { run_id: plan.runId, protocol: plan.settings.protocol, injector: plan.settings.injector, version }),
  fanfare_run_phase: ({ state }) => oneOf('phase', phases, state.phase),
  fanfare_run_verdict: ({ outcome }) => oneOf('outcome', outcomes, outcome),
  fanfare_clients: ({ state }) => clientStates.flatMap((name) => gauge(state.receivers.clients[name], { state: name })),
  fanfare_connect_duration_seconds: ({ state }, name) => histogramSamples(name, state.receivers.connectLatencyUs),
  fanfare_ready_duration_seconds: ({ state }, name) => histogramSamples(name, state.receivers.readyLatencyUs),
  fanfare_connect_errors_total: ({ state }) => countPer('code', connectCodes, state.receivers.errorsByCode),
  fanfare_disconnects_total: ({ state }) => countPer('code', disconnectCodes, state.receivers.errorsByCode),
  fanfare_deliveries_expected_total: receivers(({ measured }) => measured.expected),
  fanfare_deliveries_received_total: receivers(({ measured }) => measured.delivered),
  fanfare_deliveries_outstanding: ({ state }) => gauge(outstandingDeliveries(state)),
  fanfare_deliveries_missed_total: afterDrain(({ measured }) => measured.missed),
  fanfare_deliveries_lost_total: afterDrain(({ measured }) => measured.lost),
  fanfare_deliveries_unaccounted_total: receivers(({ measured }) => measured.unaccounted),
  fanfare_deliveries_duplicated_total: receivers(({ measured }) => measured.duplicated),
  fanfare_deliveries_out_of_order_total: receivers(({ measured }) => measured.outOfOrder),
  fanfare_deliveries_early_total: receivers(({ measured }) => measured.early),
  fanfare_deliveries_late_total: receivers(({ measured }) => measured.late),
  fanfare_deliveries_unexpected_total: receivers(({ measured }) => measured.unexpected),
  fanfare_deliveries_foreign_total: receivers(({ measured }) => measured.foreign),
  fanfare_delivery_latency_seconds: ({ state }, name) => histogramSamples(name, state.receivers.latencyUs),
  fanfare_service_latency_seconds: ({ state }, name) => histogramSamples(name, state.receivers.serviceLatencyUs),
  fanfare_delivery_mean_seconds: receivers(({ latencyUs }) => usToSeconds(latencyUs.mean ?? Number.NaN)),
  fanfare_service_mean_seconds: receivers(({ serviceLatencyUs }) => usToSeconds(serviceLatencyUs.mean ?? Number.NaN)),
  fanfare_fanout_completion_seconds: ({ state }, name) => histogramSamples(name, completionSoFar(state)),
  fanfare_probes_scheduled_total: publisher(({ scheduled }) => scheduled),
  fanfare_probes_published_total: publisher(({ published }) => published),
  fanfare_probes_skipped_total: publisher(({ skipped }) => skipped),
  fanfare_probes_confirmed_total: publisher(({ confirmed }) => confirmed),
  fanfare_probes_returned_total: publisher(({ returned }) => returned),
  fanfare_probes_nacked_total: publisher(({ nacked }) => nacked),
  fanfare_probes_unknown_total: publisher(({ unknown }) => unknown),
  fanfare_publish_lateness_seconds: ({ state }, name) => histogramSamples(name, state.publisher?.latenessUs ?? emptyHistogram()),
  fanfare_confirm_latency_seconds: ({ state }, name) => histogramSamples(name, state.publisher?.confirmLatencyUs ?? emptyHistogram()),
  fanfare_broker_blocked_seconds_total: ({ state }) => gauge(usToSeconds(blockedUs(state, state.receivers.toUs))),
  fanfare_tester_loop_delay_seconds: ({ threads, threadRoles }, name) =>
    threadRoles.flatMap((role) =>
      histogramSamples(name, sumHistograms(threads.filter((thread) => thread.role === role).map((thread) => thread.loopDelayUs)), { role }),
    ),
  fanfare_tester_bound: ({ state }) => gauge(selfCheck(state).health === 'bound' ? 1 : 0),
}
