/**
 * What a run leaves behind: plain data from which every report, metric and verdict is made. It judges nothing.
 */
import type { Plan } from '../config/plan.ts'
import type { FanfareError } from '../errors.ts'
import type { PublisherLog } from '../measure/publisher-log.ts'
import type { Snapshot, ThreadHealth } from '../measure/snapshot.ts'
import type { PublisherSnapshot } from './publisher.ts'

/** In order of time; `fanfare_run_phase` and the progress line name them. */
export const phases = ['preflight', 'join', 'connect', 'ready', 'canary', 'warm-up', 'publish', 'drain', 'close', 'done'] as const
export type Phase = (typeof phases)[number]

/** Why the run stopped. `failed`: it could not be carried out (`failure` says why). */
export type StopReason = 'complete' | 'quiet' | 'deadline' | 'signal' | 'target-lost' | 'broker-lost' | 'failed'

/** Where the run is: what progress lines, the live page and metrics are made from, at any time. */
export interface RunState {
  readonly plan: Plan
  readonly phase: Phase
  readonly phaseStartedUs: number
  readonly startedUs: number
  readonly receivers: Snapshot
  readonly publisher: PublisherSnapshot | undefined
}

/** One replica's own part of a run. Fan-out rows are not in it: they mean something only when all replicas' are added up. */
export interface ReplicaRow {
  /** From 1. */
  readonly replica: number
  /** Of its host. */
  readonly name: string
  readonly receivers: Snapshot
  readonly clock: ReplicaClockState
}

/** A replica's clock beside the coordinator's. */
export interface ReplicaClockState {
  /** They read one clock. */
  readonly isShared: boolean
  /** CLOCK_MONOTONIC of the coordinator minus the replica's, in the end. */
  readonly offsetUs: number
  /** How far the corrected clock was off at most while figures were taken. */
  readonly boundUs: number
  /** Times the offset was found to have jumped. */
  readonly steps: number
}

/** What a reader of the figures should know; codes are stable. */
export interface Warning {
  readonly code: string
  readonly text: string
}

export interface RunResult {
  readonly plan: Plan
  readonly stopReason: StopReason
  /** Present when stopReason is `failed`. */
  readonly failure: FanfareError | undefined
  /** SIGINT or SIGTERM, when that stopped it. */
  readonly signal: 'SIGINT' | 'SIGTERM' | undefined
  /** Run clock. */
  readonly startedUs: number
  readonly endedUs: number
  /** Run clock, when the last measured probe was handed to the injector; undefined when nothing was published. */
  readonly publishEndedUs: number | undefined
  /** Run clock; undefined when the run ended before it published. */
  readonly drainEndedUs: number | undefined
  readonly receivers: Snapshot
  /** undefined with INJECTOR=none. */
  readonly publisher: PublisherSnapshot | undefined
  /** What became of every measured probe; with INJECTOR=none, what was heard of them. */
  readonly log: PublisherLog
  /** One for each replica, when there are several. */
  readonly replicas: readonly ReplicaRow[]
  /** INJECTOR=none: how far the run clock was from the wall time that probes are stamped with, at most; microseconds. */
  readonly epochBoundUs?: number | undefined
  readonly mainThread: ThreadHealth
  /** User + system time of all processes of the run, all threads, ready barrier to end of drain, seconds. */
  readonly cpuSeconds: number | undefined
  /** Of all processes of the run. */
  readonly rssBytes: number
  /** RSS growth from before the first dial to the ready barrier, per ready client. */
  readonly bytesPerClient: number | undefined
  /** Receiver threads or replicas that died, a sentence each. */
  readonly died: readonly string[]
  /** Warnings gathered on the way. */
  readonly warnings: readonly Warning[]
}
