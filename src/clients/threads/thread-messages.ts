/**
 * What the main thread and a receiver thread say to each other. Everything in here is plain data that a message port copies;
 * the columns of the publisher's log are shared memory and are not.
 */
import type { Plan, RosterShare, ThreadShare } from '../../config/plan.ts'
import type { HeardProbes } from '../../measure/owed.ts'
import type { PublisherLog } from '../../measure/publisher-log.ts'
import type { Snapshot } from '../../measure/snapshot.ts'
import type { PortRange } from '../dialing/local-ports.ts'

/** What a receiver thread is born with. */
export interface ThreadBirth {
  readonly plan: Plan
  /** The part of the roster that this process holds. */
  readonly roster: RosterShare
  /** This thread's clients of that. */
  readonly share: ThreadShare
  /** Local ports that are this thread's own. */
  readonly ports: PortRange
  /** Shared memory; there when the run clock is another machine's (measure/steered-clock.ts). */
  readonly clockCorrectionUs: Float64Array | undefined
}

/** Commands are obeyed in order. Those with a `request` are answered once. */
export type ThreadCommand =
  | { readonly kind: 'connect'; readonly startUs: number }
  | { readonly kind: 'stop-connecting' }
  | { readonly kind: 'refresh'; readonly request: number }
  /** Which probes that are not confirmed were heard here? They are owed if any thread heard them. */
  | { readonly kind: 'hear'; readonly request: number; readonly log: PublisherLog }
  | { readonly kind: 'expect'; readonly request: number; readonly log: PublisherLog; readonly heard: HeardProbes }
  | {
      readonly kind: 'settle'
      readonly request: number
      readonly log: PublisherLog
      readonly heard: HeardProbes
      readonly drainEndedUs: number
    }
  /** Says goodbye to the targets; the thread ends by itself after the answer. */
  | { readonly kind: 'close'; readonly request: number }

export type ThreadQuestion = Extract<ThreadCommand, { readonly request: number }>

export type ThreadReport =
  /** Ready for commands; the snapshot tells how many clients are wanted. */
  | { readonly kind: 'started'; readonly snapshot: Snapshot }
  /** Once a second, unasked: what happened since the last snapshot handed over, by whichever report. */
  | { readonly kind: 'snapshot'; readonly snapshot: Snapshot }
  | { readonly kind: 'answer'; readonly request: number; readonly snapshot: Snapshot; readonly heard: HeardProbes }
