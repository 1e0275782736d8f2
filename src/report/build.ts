/**
 * The report of a run, made from its result: the groups, then the checks on their figures, then the verdict. Everything that follows a
 * run (summary, files, pages) reads this and nothing else.
 */
import { streamsOfClient } from '../config/plan.ts'
import { type FanoutFigures, fanoutFigures } from '../measure/fanout-figures.ts'
import type { RunResult } from '../run/result.ts'
import { type Check, judge } from './checks.ts'
import { draftReport } from './draft.ts'
import { figuresFrom, type Histograms } from './report-figures.ts'
import type { Report } from './schema.ts'
import { parseThresholds } from './thresholds.ts'
import { decideVerdict, type VerdictFacts } from './verdict.ts'
import { findWarnings, type ReportDraft } from './warnings.ts'

/** `version` is fanfare's own. Reads the machine's description and nothing else from outside. */
export function buildReport(result: RunResult, version: string): Report {
  const { settings, publish } = result.plan
  const fanout = fanoutFigures({
    snapshot: result.receivers,
    log: result.log,
    streamsOf: (client) => streamsOfClient(result.plan, client).map(({ index }) => index),
  })
  const draft = draftReport(result, { fanout, version })
  const figures = figuresFrom(draft, histogramsOf(result, fanout))
  const checks = parseThresholds(settings.thresholds).map((threshold) => judge(threshold, figures))
  const warnings = findWarnings({
    report: draft,
    isTotalUnknown: publish.countPerStream === undefined,
    allowInvalid: settings.allowInvalid,
  })
  const { schema, runId, startedAt, durationMs, stopReason, pacing, ...groups } = draft
  return {
    schema,
    runId,
    startedAt,
    durationMs,
    stopReason,
    pacing,
    verdict: { ...decideVerdict(verdictFacts(result, draft, checks)), checks, warnings: [...result.warnings, ...warnings] },
    ...groups,
  }
}

const histogramsOf = ({ receivers, publisher }: RunResult, { firstUs, completionUs, spreadUs }: FanoutFigures): Histograms => ({
  delivery: receivers.latencyUs,
  service: receivers.serviceLatencyUs,
  first: firstUs,
  completion: completionUs,
  spread: spreadUs,
  lateness: publisher?.latenessUs,
  confirm: publisher?.confirmLatencyUs,
  connect: receivers.connectLatencyUs,
  ready: receivers.readyLatencyUs,
})

const verdictFacts = (result: RunResult, draft: ReportDraft, checks: readonly Check[]): VerdictFacts => ({
  stopReason: result.stopReason,
  failure: result.failure,
  signal: result.signal,
  checks,
  expected: draft.deliveries.expected,
  ready: draft.clients.ready,
  books: draft.deliveries,
  unbalancedRows: result.receivers.unbalancedRows,
  isLedgerOverflowed: result.receivers.isLedgerOverflowed,
  ledgerMemoryMb: result.plan.settings.ledgerMemoryMb,
  clockBoundUs: draft.clock.boundUs,
  maxClockBoundMs: result.plan.settings.maxClockBoundMs,
  tester: draft.tester,
  allowInvalid: result.plan.settings.allowInvalid,
  died: result.died,
})
