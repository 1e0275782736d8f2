/**
 * The verdict: one pure decision from what a run left behind to an outcome, an exit code and the reasons in words
 * (docs/design.md §8; the rows are in docs/verdict.md). It reads no clocks and prints nothing.
 */
import { type ErrorCode, errorTable } from '../errors.ts'
import { type ExitCode, exitCodes } from '../exit-codes.ts'
import type { TesterHealth } from '../measure/self-check.ts'
import type { StopReason } from '../run/result.ts'
import { msToUs } from '../units.ts'
import { type Check, describeCheck } from './checks.ts'
import { formatCount, formatCounted, formatDuration, formatDurationMs } from './format.ts'

export const outcomes = ['pass', 'fail', 'refused', 'invalid', 'interrupted', 'fault'] as const
export type VerdictOutcome = (typeof outcomes)[number]

/** `code` is an ErrorCode, or one of `check-broken`, `target-lost`, `broker-lost`, `deadline`, `interrupted`. */
export interface Reason {
  code: string
  text: string
}

export interface Verdict {
  outcome: VerdictOutcome
  exitCode: ExitCode
  /** Why it is not a pass, the deciding ones first. */
  reasons: Reason[]
}

/** What the decision is made from. */
export interface VerdictFacts {
  readonly stopReason: StopReason
  readonly failure: { readonly code: ErrorCode; readonly message: string } | undefined
  readonly signal: 'SIGINT' | 'SIGTERM' | undefined
  readonly checks: readonly Check[]
  readonly expected: number
  readonly ready: number
  readonly books: { readonly delivered: number; readonly missed: number; readonly lost: number; readonly unaccounted: number }
  /** Clients whose own books do not balance. */
  readonly unbalancedRows: number
  readonly isLedgerOverflowed: boolean
  readonly ledgerMemoryMb: number
  readonly clockBoundUs: number
  readonly maxClockBoundMs: number
  readonly tester: { readonly health: TesterHealth; readonly reasons: readonly string[] }
  readonly allowInvalid: boolean
  /** Receiver threads or replicas that died, a sentence each. */
  readonly died: readonly string[]
}

/** What decides, strongest first: 70, then 130/143, 3, 4, 1, and 0 when nothing speaks against it. */
export function decideVerdict(facts: VerdictFacts): Verdict {
  const faults = failureOf(facts, 'fault')
  const wrongSettings = failureOf(facts, 'settings')
  const interruptions = interruption(facts)
  // A run that could not be carried out has no figures to judge; its one reason is enough.
  const hasFigures = facts.failure === undefined
  const refusals = hasFigures ? nothingMeasured(facts) : failureOf(facts, 'refused')
  const invalidities = hasFigures ? untrustworthy(facts) : failureOf(facts, 'invalid')
  const failures = hasFigures ? [...lostOnTheWay(facts), ...brokenChecks(facts)] : []
  const reasons = [...faults, ...wrongSettings, ...interruptions, ...refusals, ...invalidities, ...failures]

  if (faults.length > 0) return { outcome: 'fault', exitCode: exitCodes.fault, reasons }
  if (facts.signal !== undefined) return { outcome: 'interrupted', exitCode: exitCodes[facts.signal], reasons }
  if (wrongSettings.length > 0) return { outcome: 'refused', exitCode: exitCodes.settings, reasons }
  if (refusals.length > 0) return { outcome: 'refused', exitCode: exitCodes.refused, reasons }
  if (invalidities.length > 0) return { outcome: 'invalid', exitCode: exitCodes.invalid, reasons }
  if (failures.length > 0) return { outcome: 'fail', exitCode: exitCodes.fail, reasons }
  return { outcome: 'pass', exitCode: exitCodes.pass, reasons }
}

function failureOf({ failure }: VerdictFacts, outcome: 'fault' | 'settings' | 'refused' | 'invalid'): Reason[] {
  if (failure === undefined) return []
  const { outcome: known } = errorTable[failure.code]
  // A run never ends by a counted code; one that claims to is our mistake.
  const own = known === 'counted' ? 'fault' : known
  return own === outcome ? [{ code: failure.code, text: failure.message }] : []
}

const interruption = ({ signal }: VerdictFacts): Reason[] =>
  signal === undefined ? [] : [{ code: 'interrupted', text: `${signal} stopped the run; the figures cover what happened until then` }]

function nothingMeasured({ ready, expected }: VerdictFacts): Reason[] {
  if (ready === 0) return [{ code: 'ready-failed', text: 'No client became ready, so nothing was measured' }]
  if (expected === 0)
    return [{ code: 'nothing-expected', text: 'No delivery was expected: no probe was confirmed while a client was ready' }]
  return []
}

/** Everything that makes the figures not worth judging, each with its remedy. */
function untrustworthy(facts: VerdictFacts): Reason[] {
  const { books, expected, died, tester } = facts
  const reasons: Reason[] = []
  const booked = books.delivered + books.missed + books.lost + books.unaccounted
  if (booked !== expected) {
    reasons.push({
      code: 'books-unbalanced',
      text:
        `The books do not balance: ${formatCount(expected)} expected, but ${formatCount(books.delivered)} delivered + ${formatCount(books.missed)} missed + ` +
        `${formatCount(books.lost)} lost + ${formatCount(books.unaccounted)} unaccounted = ${formatCount(booked)}. This is a fault of fanfare: please report it`,
    })
  }
  if (booked === expected && facts.unbalancedRows > 0) {
    reasons.push({
      code: 'books-unbalanced',
      text: `The books of ${formatCounted(facts.unbalancedRows, 'client')} do not balance, though the totals do. This is a fault of fanfare: please report it`,
    })
  }
  if (facts.isLedgerOverflowed) {
    reasons.push({
      code: 'books-overflowed',
      text: `The books needed more than LEDGER_MEMORY_MB=${facts.ledgerMemoryMb}: raise it, or use more replicas`,
    })
  }
  for (const text of died) reasons.push({ code: 'replica-lost', text })
  if (facts.clockBoundUs > msToUs(facts.maxClockBoundMs)) {
    reasons.push({
      code: 'clock-bound',
      text: `The clocks agree only within ±${formatDuration(facts.clockBoundUs)}; MAX_CLOCK_BOUND_MS allows ${formatDurationMs(facts.maxClockBoundMs)}. Put replicas closer to the coordinator, or allow more`,
    })
  }
  if (tester.health === 'bound' && !facts.allowInvalid) for (const text of tester.reasons) reasons.push({ code: 'tester-bound', text })
  return reasons
}

function lostOnTheWay({ stopReason }: VerdictFacts): Reason[] {
  switch (stopReason) {
    case 'target-lost':
      return [{ code: 'target-lost', text: 'The target went away during the run' }]
    case 'broker-lost':
      return [{ code: 'broker-lost', text: 'The broker went away during the run and did not come back' }]
    case 'deadline':
      return [{ code: 'deadline', text: 'Deliveries were still coming when DRAIN_TIMEOUT_MS ended the run' }]
    default:
      return []
  }
}

const brokenChecks = ({ checks }: VerdictFacts): Reason[] =>
  checks.filter((check) => !check.ok).map((check) => ({ code: 'check-broken', text: describeCheck(check) }))
