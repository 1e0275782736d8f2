/** What the tester's process is asked, and what it tells of a run: the part of its result that is compared with the truth. */
import type { FanfareError } from '../../../src/errors.ts'
import type { PublisherLog } from '../../../src/measure/publisher-log.ts'
import type { Snapshot } from '../../../src/measure/snapshot.ts'
import type { Report } from '../../../src/report/schema.ts'
import type { RunResult } from '../../../src/run/result.ts'

export interface RunFacts extends Pick<RunResult, 'stopReason' | 'drainEndedUs' | 'publisher' | 'died'> {
  readonly runId: string
  readonly failure: FanfareError['code'] | undefined
  readonly receivers: Snapshot
  readonly log: PublisherLog
  /** What the report makes of it. */
  readonly report: Report
}

export type ToTester = { readonly kind: 'run'; readonly settings: Readonly<Record<string, string>> } | { readonly kind: 'interrupt' }

export type FromTester =
  | { readonly kind: 'listening' }
  | { readonly kind: 'phase'; readonly phase: string }
  | { readonly kind: 'ended'; readonly facts: RunFacts }
  | { readonly kind: 'failed'; readonly why: string }
