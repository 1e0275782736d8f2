/** The same groups per replica and per target, for finding the one that differs. */
import type { Snapshot } from '../../measure/snapshot.ts'
import type { RunResult } from '../../run/result.ts'
import type { Report } from '../schema.ts'
import { clientsGroup, connectGroup } from './clients.ts'
import { deliveriesGroup } from './deliveries.ts'
import { histogramsGroup } from './histograms.ts'
import { boundedSummaryOf, summaryOf } from './summary.ts'
import { framesPerRead } from './tester.ts'

/** `publisherBoundUs`: the publisher's share of the uncertainty of a latency. */
export const replicaGroups = (replicas: RunResult['replicas'], publisherBoundUs: number): Report['replicas'] =>
  replicas.map(({ replica, name, receivers }) => {
    const boundUs = receivers.clockBoundUs + publisherBoundUs
    return {
      replica,
      name,
      clients: clientsGroup(receivers),
      connect: connectGroup(receivers),
      deliveries: deliveriesGroup({ receivers, publisher: undefined, publishEndedUs: undefined }),
      latencyUs: boundedSummaryOf(receivers.latencyUs, boundUs),
      serviceLatencyUs: boundedSummaryOf(receivers.serviceLatencyUs, boundUs),
      framesPerRead: framesPerRead(receivers.threads),
      clockBoundUs: receivers.clockBoundUs,
      histograms: histogramsGroup({ latency: receivers.latencyUs, serviceLatency: receivers.serviceLatencyUs }),
    }
  })

/** `urls`: WS_ADDR entry by entry, secrets hidden. */
export const targetGroups = (receivers: Snapshot, urls: readonly string[]): NonNullable<Report['targets']> =>
  receivers.targets.map(({ target, opened, ready, failed, disconnected, delivered, latencyUs }) => ({
    target,
    url: urls[target] ?? '',
    opened,
    ready,
    failed,
    disconnected,
    delivered,
    latencyUs: summaryOf(latencyUs),
  }))
