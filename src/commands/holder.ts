/**
 * Who holds the clients of a run: this process on threads of its own, or replicas. `conduct.ts` conducts either without knowing which.
 */
import type { Crowd } from '../clients/crowd.ts'
import { startThreadCrowd } from '../clients/threads/thread-crowd.ts'
import { type Plan, type RosterShare, receiverThreads } from '../config/plan.ts'
import type { FanfareError } from '../errors.ts'
import type { MetricsRole } from '../metrics/registry.ts'
import type { Phase, Warning } from '../run/result.ts'
import type { RunParts } from '../run/story.ts'
import type { SystemFacts } from '../run/system-facts.ts'

/** What a holder is given to work with. */
export interface Stage {
  /** As far as it can be made before anybody has joined. */
  readonly plan: Plan
  readonly facts: SystemFacts
  readonly version: string
  /** Run clock, microseconds. */
  readonly nowUs: () => number
  readonly stop: AbortSignal
  readonly say: (text: string) => void
  /** Tells what this process is waiting for. */
  readonly enter: (phase: Phase) => void
}

/** Clients that can be dialed. */
export interface Held extends Pick<RunParts, 'replicas' | 'usage'> {
  readonly plan: Plan
  readonly crowd: Crowd
  readonly onPhase?: (phase: Phase) => void
}

export interface Holder {
  readonly role: MetricsRole
  /** What of the roster is in this process, for the preflight. */
  ownShare(plan: Plan): RosterShare
  /** Throws what the run cannot be carried out for; nothing is dialed yet. */
  hold(stage: Stage): Promise<Held>
  /** What the report should know besides. */
  warnings(): readonly Warning[]
  /** Lets go of everybody. Called at the very end, whether or not `hold` succeeded; `why`: what it threw. */
  release(why: FanfareError | undefined): Promise<void>
}

/** This process holds the whole roster. */
export const ownThreads = (): Holder => ({
  role: 'run',
  ownShare: ({ roster }) => roster,
  async hold({ plan, facts }) {
    const threads = receiverThreads(plan.settings, { ...facts, clients: plan.roster.clients })
    const crowd = await startThreadCrowd(plan, { share: plan.roster, threads, localPorts: facts.localPorts })
    return { plan, crowd }
  },
  warnings: () => [],
  release: async () => undefined,
})
