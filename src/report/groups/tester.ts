/** The tester's own figures: evidence for or against what it says about the target. */
import { sumHistograms } from '../../measure/histogram-merge.ts'
import type { Snapshot, ThreadHealth } from '../../measure/snapshot.ts'
import type { Report } from '../schema.ts'
import { summaryOf } from './summary.ts'

export interface TesterFacts {
  readonly health: Report['tester']['health']
  readonly reasons: readonly string[]
  /** Receivers, publisher and main. */
  readonly threads: readonly ThreadHealth[]
  readonly receivers: Snapshot
  readonly cpuSeconds: number | undefined
  readonly rssBytes: number
  readonly bytesPerClient: number | undefined
}

export function testerGroup(facts: TesterFacts): Report['tester'] {
  const { threads } = facts
  return {
    health: facts.health,
    reasons: [...facts.reasons],
    cpuSeconds: facts.cpuSeconds,
    loopDelayUs: summaryOf(sumHistograms(threads.map((thread) => thread.loopDelayUs))),
    passBusyUs: summaryOf(sumHistograms(threads.map((thread) => thread.passBusyUs))),
    loopUtilisation: threads
      .filter(({ spanUs }) => spanUs > 0)
      .map(({ replica, thread, role, busyUs, spanUs }) => ({ replica, thread, role, ratio: busyRatio(busyUs, spanUs) })),
    framesPerRead: framesPerRead(threads),
    rssBytes: facts.rssBytes,
    bytesPerClient: facts.bytesPerClient,
    ledgerBytes: facts.receivers.ledgerBytes,
  }
}

/** At most 1: a loop pass that began before the span it ends in counts whole. */
export const busyRatio = (busyUs: number, spanUs: number): number => Math.min(1, busyUs / spanUs)

/** undefined when nothing was read. */
export function framesPerRead(threads: readonly ThreadHealth[]): number | undefined {
  let frames = 0
  let reads = 0
  for (const thread of threads) {
    frames += thread.frames
    reads += thread.reads
  }
  return reads === 0 ? undefined : frames / reads
}
