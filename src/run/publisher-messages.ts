/**
 * What the main thread and the publisher's thread say to each other. Calls are answered by their number; everything else is told
 * when it happens.
 */
import type { Plan } from '../config/plan.ts'
import { describeError, type ErrorCode, FanfareError } from '../errors.ts'
import type { PublisherLog } from '../measure/publisher-log.ts'
import type { CanaryOutcome, NoticeLevel, PublisherSnapshot, PublishOutcome } from './publisher.ts'

/** What the thread is started with. The log's arrays are shared memory. */
export interface PublisherThreadData {
  readonly plan: Plan
  readonly log: PublisherLog
}

/** The calls and what they answer. */
export interface PublisherAnswers {
  readonly open: undefined
  readonly canary: CanaryOutcome
  readonly 'warm-up': undefined
  readonly publish: PublishOutcome
  readonly close: undefined
}
export type PublisherCall = keyof PublisherAnswers

export type ToPublisher =
  | { readonly kind: 'call'; readonly id: number; readonly call: PublisherCall }
  /** Ends the call with this number; it is answered all the same. */
  | { readonly kind: 'abort'; readonly id: number }
  | { readonly kind: 'snapshot-please' }

export type FromPublisher =
  | { readonly kind: 'answer'; readonly id: number; readonly value: PublisherAnswers[PublisherCall] }
  | { readonly kind: 'failure'; readonly id: number; readonly error: WireError }
  /** Every second, and before the answer to `publish`. `timeline` holds only the seconds that changed since the last one. */
  | { readonly kind: 'snapshot'; readonly snapshot: PublisherSnapshot }
  | { readonly kind: 'notice'; readonly text: string; readonly level: NoticeLevel }
  | { readonly kind: 'lost'; readonly error: WireError }

/** An error as it crosses threads; causes stay behind. */
export interface WireError {
  readonly code: ErrorCode
  readonly message: string
}

export const toWire = (error: unknown): WireError =>
  error instanceof FanfareError ? { code: error.code, message: error.message } : { code: 'fault', message: describeError(error) }

export const fromWire = ({ code, message }: WireError): FanfareError => new FanfareError(code, message)
