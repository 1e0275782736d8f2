/** Whether the comparison sees anything: figures that are off by one, one at a time, must each be found. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { Snapshot } from '../../../src/measure/snapshot.ts'
import { compare } from './compare.ts'
import { type Played, play } from './play.ts'
import type { Scenario } from './scenario.ts'
import { Tester } from './tester.ts'

/** Something of everything, at clients of their own. */
const SCENARIO: Scenario = {
  clients: 8,
  probes: 40,
  gapMs: 4,
  settings: { RECONNECT: 'on' },
  habits: [
    { kind: 'drop', clients: [0], sequences: [5, 6, 39] },
    { kind: 'repeat', clients: [1], sequences: [7], copies: 2 },
    { kind: 'swap', clients: [2], first: 10, second: 13 },
    { kind: 'insert', what: 'misroute', clients: [3], sequences: [4] },
    { kind: 'insert', what: 'foreign', clients: [4], sequences: [4] },
    { kind: 'end', how: 'cut', clients: [5], sequences: [20] },
    { kind: 'end', how: 'close', clients: [6], sequences: [25] },
  ],
  incidents: [],
  otherProgram: undefined,
}

let tester: Tester
let played: Played
before(async () => {
  tester = await Tester.start()
  played = await play(SCENARIO, tester)
})
after(() => tester.end())

test('the truth is not disputed', () => {
  assert.deepEqual(compare(played), [])
})

type Counter = { [K in keyof Snapshot['measured']]: K }[keyof Snapshot['measured']]
const counters: readonly Counter[] = [
  'expected',
  'delivered',
  'missed',
  'lost',
  'duplicated',
  'outOfOrder',
  'early',
  'late',
  'unexpected',
  'foreign',
]

for (const counter of counters) {
  for (const change of [1, -1]) {
    test(`${counter} in all that is off by ${change} is found`, () => {
      const measured = { ...played.facts.receivers.measured }
      measured[counter] += change
      assert.notDeepEqual(compare(withReceivers({ measured })), [])
    })
  }
}

for (const column of ['delivered', 'duplicated', 'outOfOrder', 'early', 'late', 'unexpected', 'missed', 'lost', 'expected'] as const) {
  test(`a client's row with a wrong ${column} is found`, () => {
    const [first, ...rest] = played.facts.receivers.worstClients
    assert.notDeepEqual(compare(withReceivers({ worstClients: [{ ...first!, [column]: first![column] + 1 }, ...rest] })), [])
  })
}

test('a missing delivery that is not listed, or listed for another reason or probe, is found', () => {
  const [first, ...rest] = played.facts.receivers.missing
  assert.ok(first)
  for (const missing of [
    rest,
    [{ ...first, sequence: 0 }, ...rest],
    [{ ...first, why: first.why === 'lost' ? ('missed' as const) : ('lost' as const) }, ...rest],
  ]) {
    assert.notDeepEqual(compare(withReceivers({ missing })), [])
  }
})

test('a fan-out row with a client too many, and an end nobody made, are found', () => {
  const { fanout, errorsByCode, clients } = played.facts.receivers
  const count = Float64Array.from(fanout.count)
  count[0]!++
  assert.notDeepEqual(compare(withReceivers({ fanout: { ...fanout, count } })), [])
  assert.notDeepEqual(compare(withReceivers({ errorsByCode: { ...errorsByCode, 'protocol-error': 1 } })), [])
  assert.notDeepEqual(compare(withReceivers({ clients: { ...clients, reconnected: clients.reconnected + 3 } })), [])
})

test('a log that calls a broadcast probe unpublished is found', () => {
  const [stream, ...rest] = played.facts.log.streams
  const states = Uint8Array.from(stream!.states)
  states[3] = 0
  const log = { streams: [{ ...stream!, states }, ...rest] }
  assert.notDeepEqual(compare({ ...played, facts: { ...played.facts, log } }), [])
})

const withReceivers = (change: Partial<Snapshot>): Played => ({
  ...played,
  facts: { ...played.facts, receivers: { ...played.facts.receivers, ...change } },
})
