/**
 * The plan of a run: settings made concrete once (run id drawn, streams named, counts and pace fixed, the roster shared
 * out). Plain data; publisher, receiver threads and replicas all work from the same plan. It decides nothing at run time.
 */
import type { Settings } from './settings.ts'

/** Streams with these indices carry canary and warm-up probes; their tokens say `zzzz` and `zzzy` (base 36). */
export const CANARY_STREAM = 36 ** 4 - 1
export const WARMUP_STREAM = 36 ** 4 - 2

/** One stream: what clients subscribe to and the routing key that reaches it. */
export interface StreamPlan {
  /** Written into tokens in base 36. */
  readonly index: number
  /** What clients subscribe to, e.g. `public.k3v9q2x1`. Canary and warm-up probes travel on every stream's name with their own index. */
  readonly name: string
  readonly routingKey: string
}

/** When probes are due. `closed`: MSG_DELAY=0, no slots; the next probe goes as soon as the injector takes it. */
export type PacePlan = { readonly kind: 'open'; readonly gapUs: number } | { readonly kind: 'closed' }

export interface PublishPlan {
  /** Probes per stream; undefined only with INJECTOR=none and no MSG_COUNT. */
  readonly countPerStream: number | undefined
  readonly pace: PacePlan
  readonly catchUp: 'burst' | 'skip'
}

/** A contiguous share of the roster. Client indices are unique over the whole run. */
export interface RosterShare {
  readonly firstClient: number
  readonly clients: number
}

/** One thread's clients. Sentinels are members of the roster on a thread of their own. */
export interface ThreadShare {
  readonly thread: number
  readonly role: 'crowd' | 'sentinels'
  /** Client indices, ascending. */
  readonly clients: readonly number[]
}

export interface Plan {
  readonly settings: Settings
  readonly runId: string
  /** 0 for a run in one process. */
  readonly replica: number
  readonly streams: readonly StreamPlan[]
  readonly publish: PublishPlan
  /** All clients of the run over all replicas. */
  readonly roster: RosterShare
  /** Monotonic microseconds (CLOCK_MONOTONIC) to run-clock microseconds since the epoch; set by the coordinator once. */
  readonly runClockOffsetUs: number
}

/** Which streams a client subscribes to: client i listens to stream i mod n. */
export const streamsOfClient = (plan: Plan, client: number): readonly StreamPlan[] => [plan.streams[client % plan.streams.length]!]
