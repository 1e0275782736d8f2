import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { decideVerdict, type VerdictFacts } from '../../../src/report/verdict.ts'

/** A run against which nothing speaks. */
const good: VerdictFacts = {
  stopReason: 'complete',
  failure: undefined,
  signal: undefined,
  checks: [{ name: 'lost==0', ok: true, unit: 'count', limit: 0, actual: 0 }],
  expected: 300_000,
  ready: 1_000,
  books: { delivered: 300_000, missed: 0, lost: 0, unaccounted: 0 },
  unbalancedRows: 0,
  isLedgerOverflowed: false,
  ledgerMemoryMb: 1_024,
  clockBoundUs: 3,
  maxClockBoundMs: 5,
  tester: { health: 'healthy', reasons: [] },
  allowInvalid: false,
  died: [],
}

const broken = { name: 'lost==0', ok: false, unit: 'count', limit: 0, actual: 12 } as const
const bound = { health: 'bound', reasons: ['The event loop of thread 1 was 99 % busy: use more threads'] } as const
const failed = (code: NonNullable<VerdictFacts['failure']>['code']): Partial<VerdictFacts> => ({
  stopReason: 'failed',
  failure: { code, message: `it was ${code}` },
  expected: 0,
  ready: 0,
  books: { delivered: 0, missed: 0, lost: 0, unaccounted: 0 },
})

interface Row {
  readonly when: string
  readonly facts: Partial<VerdictFacts>
  readonly outcome: string
  readonly exitCode: number
  /** Codes of the reasons, in order. */
  readonly reasons: string[]
}

const rows: Row[] = [
  { when: 'everything was heard', facts: {}, outcome: 'pass', exitCode: 0, reasons: [] },
  { when: 'it ended quiet with checks that hold', facts: { stopReason: 'quiet' }, outcome: 'pass', exitCode: 0, reasons: [] },
  {
    when: 'the tester is only suspect',
    facts: { tester: { health: 'suspect', reasons: ['busy'] } },
    outcome: 'pass',
    exitCode: 0,
    reasons: [],
  },
  { when: 'the clock bound is just allowed', facts: { clockBoundUs: 5_000 }, outcome: 'pass', exitCode: 0, reasons: [] },
  {
    when: 'a check is broken',
    facts: { checks: [broken], books: { delivered: 299_988, missed: 0, lost: 12, unaccounted: 0 } },
    outcome: 'fail',
    exitCode: 1,
    reasons: ['check-broken'],
  },
  { when: 'the target went away', facts: { stopReason: 'target-lost' }, outcome: 'fail', exitCode: 1, reasons: ['target-lost'] },
  { when: 'the broker went away', facts: { stopReason: 'broker-lost' }, outcome: 'fail', exitCode: 1, reasons: ['broker-lost'] },
  { when: 'the deadline ended the drain', facts: { stopReason: 'deadline' }, outcome: 'fail', exitCode: 1, reasons: ['deadline'] },
  { when: 'the books do not balance', facts: { expected: 300_001 }, outcome: 'invalid', exitCode: 4, reasons: ['books-unbalanced'] },
  {
    when: 'the books of single clients do not balance',
    facts: { unbalancedRows: 2 },
    outcome: 'invalid',
    exitCode: 4,
    reasons: ['books-unbalanced'],
  },
  { when: 'the ledger overflowed', facts: { isLedgerOverflowed: true }, outcome: 'invalid', exitCode: 4, reasons: ['books-overflowed'] },
  { when: 'the clock bound is too wide', facts: { clockBoundUs: 5_001 }, outcome: 'invalid', exitCode: 4, reasons: ['clock-bound'] },
  { when: 'the tester was the limit', facts: { tester: bound }, outcome: 'invalid', exitCode: 4, reasons: ['tester-bound'] },
  { when: 'a bound tester is allowed', facts: { tester: bound, allowInvalid: true }, outcome: 'pass', exitCode: 0, reasons: [] },
  {
    when: 'a bound tester is allowed, thresholds still judge',
    facts: { tester: bound, allowInvalid: true, checks: [broken] },
    outcome: 'fail',
    exitCode: 1,
    reasons: ['check-broken'],
  },
  {
    when: 'allowing a bound tester allows no unbalanced books',
    facts: { tester: bound, allowInvalid: true, expected: 1 },
    outcome: 'invalid',
    exitCode: 4,
    reasons: ['books-unbalanced'],
  },
  { when: 'a replica died', facts: { died: ['Replica 2 was lost'] }, outcome: 'invalid', exitCode: 4, reasons: ['replica-lost'] },
  {
    when: 'invalid and failing: invalid wins, both are told',
    facts: { tester: bound, checks: [broken] },
    outcome: 'invalid',
    exitCode: 4,
    reasons: ['tester-bound', 'check-broken'],
  },
  {
    when: 'nobody became ready',
    facts: { ready: 0, expected: 0, books: { delivered: 0, missed: 0, lost: 0, unaccounted: 0 } },
    outcome: 'refused',
    exitCode: 3,
    reasons: ['ready-failed'],
  },
  {
    when: 'nothing was expected',
    facts: { expected: 0, books: { delivered: 0, missed: 0, lost: 0, unaccounted: 0 } },
    outcome: 'refused',
    exitCode: 3,
    reasons: ['nothing-expected'],
  },
  {
    when: 'nothing was expected and the tester was bound: 3 before 4',
    facts: { expected: 0, books: { delivered: 0, missed: 0, lost: 0, unaccounted: 0 }, tester: bound, checks: [broken] },
    outcome: 'refused',
    exitCode: 3,
    reasons: ['nothing-expected', 'tester-bound', 'check-broken'],
  },
  {
    when: 'preflight refused',
    facts: failed('preflight-descriptors'),
    outcome: 'refused',
    exitCode: 3,
    reasons: ['preflight-descriptors'],
  },
  {
    when: 'nothing could be carried out: one reason, no broken checks beside it',
    facts: { ...failed('connect-failed'), checks: [broken] },
    outcome: 'refused',
    exitCode: 3,
    reasons: ['connect-failed'],
  },
  {
    when: 'a setting was found wrong late',
    facts: failed('settings-invalid'),
    outcome: 'refused',
    exitCode: 2,
    reasons: ['settings-invalid'],
  },
  {
    when: 'the run ended by what makes it invalid',
    facts: failed('replica-lost'),
    outcome: 'invalid',
    exitCode: 4,
    reasons: ['replica-lost'],
  },
  { when: 'a fault of ours', facts: failed('fault'), outcome: 'fault', exitCode: 70, reasons: ['fault'] },
  { when: 'a code that only counts cannot end a run', facts: failed('refused'), outcome: 'fault', exitCode: 70, reasons: ['refused'] },
  { when: 'SIGINT', facts: { stopReason: 'signal', signal: 'SIGINT' }, outcome: 'interrupted', exitCode: 130, reasons: ['interrupted'] },
  { when: 'SIGTERM', facts: { stopReason: 'signal', signal: 'SIGTERM' }, outcome: 'interrupted', exitCode: 143, reasons: ['interrupted'] },
  {
    when: 'interrupted before anybody was ready: 130 before 3',
    facts: { stopReason: 'signal', signal: 'SIGINT', ready: 0, expected: 0, books: { delivered: 0, missed: 0, lost: 0, unaccounted: 0 } },
    outcome: 'interrupted',
    exitCode: 130,
    reasons: ['interrupted', 'ready-failed'],
  },
  {
    when: 'a fault while being interrupted: 70 before 130',
    facts: { ...failed('fault'), signal: 'SIGINT' },
    outcome: 'fault',
    exitCode: 70,
    reasons: ['fault', 'interrupted'],
  },
]

for (const { when, facts, outcome, exitCode, reasons } of rows) {
  test(`verdict: ${when} → ${outcome}, exit code ${exitCode}`, () => {
    const verdict = decideVerdict({ ...good, ...facts })
    assert.deepEqual([verdict.outcome, verdict.exitCode, verdict.reasons.map((reason) => reason.code)], [outcome, exitCode, reasons])
  })
}

test('reasons name the figures and the remedy', () => {
  const [books] = decideVerdict({ ...good, expected: 300_001 }).reasons
  assert.match(books!.text, /300,001 expected, but 300,000 delivered \+ 0 missed \+ 0 lost \+ 0 unaccounted = 300,000/)
  const [clock] = decideVerdict({ ...good, clockBoundUs: 8_000 }).reasons
  assert.match(clock!.text, /±8 ms; MAX_CLOCK_BOUND_MS allows 5 ms/)
  const [tester] = decideVerdict({ ...good, tester: bound }).reasons
  assert.match(tester!.text, /use more threads/)
})

test('docs/verdict.md names every exit code and every reason that is not an error code', () => {
  const page = readFileSync(new URL('../../../docs/verdict.md', import.meta.url), 'utf8')
  for (const word of [
    '`check-broken`',
    '`target-lost`',
    '`broker-lost`',
    '`deadline`',
    '`tester-bound`',
    '`clock-bound`',
    '`books-unbalanced`',
    '`books-overflowed`',
    '`replica-lost`',
  ]) {
    assert.ok(page.includes(word), word)
  }
  for (const code of [0, 1, 2, 3, 4, 70, 130]) assert.match(page, new RegExp(`^\\| ${code}[ ,]`, 'm'))
})
