/**
 * Everything a report says of a run before it is judged: one group after the other, from the run's result.
 */

import type { Plan } from '../config/plan.ts'
import { settingsTable } from '../config/settings.ts'
import { shownSettings } from '../config/shown-settings.ts'
import type { FanoutFigures } from '../measure/fanout-figures.ts'
import { selfCheck } from '../measure/self-check.ts'
import type { ThreadHealth } from '../measure/snapshot.ts'
import type { RunResult } from '../run/result.ts'
import { usToMs } from '../units.ts'
import { clientsGroup, connectGroup } from './groups/clients.ts'
import { clockGroup, fanoutBoundUs } from './groups/clock.ts'
import { deliveriesGroup, sideBooks } from './groups/deliveries.ts'
import { readEnvironment } from './groups/environment.ts'
import { fanoutGroup } from './groups/fanout.ts'
import { histogramsGroup } from './groups/histograms.ts'
import { publishGroup } from './groups/publish.ts'
import { replicaGroups, targetGroups } from './groups/replicas.ts'
import { streamGroups } from './groups/streams.ts'
import { boundedSummaryOf } from './groups/summary.ts'
import { testerGroup } from './groups/tester.ts'
import { latencyBucketBoundsUs, timelineGroup } from './groups/timeline.ts'
import { worstClient, worstProbe } from './groups/worst.ts'
import { REPORT_SCHEMA } from './schema.ts'
import type { ReportDraft } from './warnings.ts'

export interface DraftParts {
  readonly fanout: FanoutFigures
  readonly version: string
}

export function draftReport(result: RunResult, { fanout, version }: DraftParts): ReportDraft {
  const { plan, receivers, publisher, startedUs, publishEndedUs } = result
  // Another program stamps with wall time, from which the run clock may be some way off.
  const stampBoundUs = publisher?.clockBoundUs ?? result.epochBoundUs ?? 0
  // A latency is the difference of two clock readings, so their bounds add up.
  const boundUs = receivers.clockBoundUs + stampBoundUs
  const threads = threadsOf(result)
  return {
    schema: REPORT_SCHEMA,
    runId: plan.runId,
    startedAt: new Date(usToMs(startedUs)).toISOString(),
    durationMs: usToMs(result.endedUs - startedUs),
    stopReason: result.stopReason,
    pacing: publisher === undefined ? undefined : plan.publish.pace.kind,
    settings: shownSettings(plan.settings),
    environment: readEnvironment(version),
    clients: clientsGroup(receivers),
    connect: connectGroup(receivers),
    publish: publisher === undefined ? undefined : publishGroup(publisher, startedUs),
    deliveries: deliveriesGroup({ receivers, publisher, publishEndedUs }),
    warmup: plan.settings.warmupCount > 0 ? sideBooks(receivers.warmup) : undefined,
    canary: publisher !== undefined && plan.settings.canary ? sideBooks(receivers.canary) : undefined,
    otherFrames: { ...receivers.otherFrames },
    latencyUs: boundedSummaryOf(receivers.latencyUs, boundUs),
    serviceLatencyUs: boundedSummaryOf(receivers.serviceLatencyUs, boundUs),
    sentinelLatencyUs: receivers.sentinelLatencyUs.count === 0 ? undefined : boundedSummaryOf(receivers.sentinelLatencyUs, boundUs),
    fanout: fanoutGroup({ figures: fanout, boundUs: fanoutBoundUs(result.replicas, boundUs), capped: receivers.fanoutCapped }),
    worst: { probes: fanout.worst.map(worstProbe), clients: receivers.worstClients.map((row) => worstClient(row, startedUs)) },
    tester: testerGroup({ ...selfCheck(result), threads, ...result }),
    clock: clockGroup(result.replicas, boundUs),
    targets: targetGroups(receivers, shownTargets(plan)),
    streams: streamGroups(receivers, plan.streams),
    replicas: replicaGroups(result.replicas, stampBoundUs),
    latencyBucketBoundsUs: [...latencyBucketBoundsUs],
    timeline: timelineGroup(receivers, publisher, startedUs),
    histograms: histogramsGroup({
      latency: receivers.latencyUs,
      serviceLatency: receivers.serviceLatencyUs,
      sentinelLatency: receivers.sentinelLatencyUs,
      first: fanout.firstUs,
      completion: fanout.completionUs,
      spread: fanout.spreadUs,
      lateness: publisher?.latenessUs,
      confirmLatency: publisher?.confirmLatencyUs,
      connectLatency: receivers.connectLatencyUs,
      readyLatency: receivers.readyLatencyUs,
    }),
  }
}

const threadsOf = ({ receivers, publisher, mainThread }: RunResult): ThreadHealth[] => [
  ...receivers.threads,
  ...(publisher === undefined ? [] : [publisher.thread]),
  mainThread,
]

/** WS_ADDR entry by entry, secrets hidden. */
const shownTargets = ({ settings }: Plan): string[] => settings.wsAddr.map((url) => settingsTable.wsAddr.kind.redact([url]))
