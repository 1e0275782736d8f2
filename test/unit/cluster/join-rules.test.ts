import assert from 'node:assert/strict'
import { test } from 'node:test'
import { decideJoin, type JoinFacts, type JoinStage, refusalOf } from '../../../src/cluster/join-rules.ts'
import { FanfareError } from '../../../src/errors.ts'

const settings = { replicas: undefined, joinSettleMs: 5_000, joinTimeoutMs: 60_000 }
const facts = (joined: number, sinceLastJoinMs: number, elapsedMs: number): JoinFacts => ({
  joined: Array.from({ length: joined }, (_, index) => `host-${index}`),
  sinceLastJoinMs,
  elapsedMs,
})

test('without REPLICAS the run goes on when nobody has joined for a while', () => {
  const rows: [JoinFacts, 'wait' | 'go'][] = [
    [facts(0, 9_000, 9_000), 'wait'], // nobody yet
    [facts(1, 4_999, 9_000), 'wait'], // another may come
    [facts(1, 5_000, 9_000), 'go'],
    [facts(8, 100, 60_000), 'go'], // they kept coming until the time was up
  ]
  for (const [given, then] of rows) assert.equal(decideJoin(given, settings), then)
})

test('with REPLICAS it goes on with the last of them, and not without', () => {
  const asked = { ...settings, replicas: 3 }
  assert.equal(decideJoin(facts(2, 30_000, 59_999), asked), 'wait')
  assert.equal(decideJoin(facts(3, 0, 1), asked), 'go')
  const failure = decideJoin(facts(2, 30_000, 60_000), asked)
  assert.ok(failure instanceof FanfareError && failure.code === 'join-timeout')
  assert.match(failure.message, /3 replicas \(REPLICAS\).* got 2 \(host-0, host-1\)/)
})

test('when nobody joins in time, the run is refused', () => {
  const failure = decideJoin(facts(0, 60_000, 60_000), settings)
  assert.ok(failure instanceof FanfareError && failure.code === 'join-timeout')
  assert.match(failure.message, /got none/)
})

test('who may join is decided by version, stage and number', () => {
  const ask = (stage: JoinStage, members: number, replicas?: number) => ({
    version: '1.2.3',
    stage,
    members,
    settings: { replicas },
  })
  const same = { version: '1.2.3' }
  const rows: [RegExp | undefined, string | undefined][] = [
    [undefined, refusalOf(same, ask('joining', 7))],
    [/has begun/, refusalOf(same, ask('dialing', 7))], // shares are out
    [/fanfare 1\.2\.3, this replica 1\.2\.4/, refusalOf({ version: '1.2.4' }, ask('joining', 0))],
    [/has begun/, refusalOf(same, ask('begun', 1))],
    [/has the 3 replicas/, refusalOf(same, ask('joining', 3, 3))],
  ]
  for (const [expected, refusal] of rows) {
    if (expected === undefined) assert.equal(refusal, undefined)
    else assert.match(refusal ?? 'joined', expected)
  }
})
