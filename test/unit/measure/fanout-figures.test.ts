import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fanoutFigures, WORST_PROBES } from '../../../src/measure/fanout-figures.ts'
import { fanoutColumns } from '../../../src/measure/fanout-merge.ts'
import { ProbeState, type PublisherLog } from '../../../src/measure/publisher-log.ts'
import type { FanoutRows } from '../../../src/measure/snapshot.ts'

interface Row {
  readonly stream?: number
  readonly sequence: number
  readonly firstUs: number
  readonly lastUs: number
  readonly count: number
}

/** Probe n is intended at 1,000 n and sent 10 µs later. */
const rows = (list: Row[]): FanoutRows =>
  Object.fromEntries(
    fanoutColumns.map((column) => [
      column,
      list.map((row) => ({ stream: 0, intendedUs: row.sequence * 1_000, sentUs: row.sequence * 1_000 + 10, ...row })[column]),
    ]),
  ) as unknown as FanoutRows

const log = (states: number[]): PublisherLog => ({
  streams: [
    {
      stream: 0,
      count: states.length,
      sentUs: Float64Array.from(states, (_, sequence) => sequence * 1_000 + 10),
      states: Uint8Array.from(states),
    },
  ],
})

const { confirmed, unknown, absent, nacked } = ProbeState
const threeReady = { client: [0, 1, 2], readyUs: [0, 0, 5] }
const streamsOf = () => [0]

test('a complete probe has a first, a completion and a spread, from its intended time', () => {
  const fanout = rows([{ sequence: 1, firstUs: 1_200, lastUs: 1_900, count: 3 }])
  const figures = fanoutFigures({ snapshot: { fanout, readyClients: threeReady }, log: log([absent, confirmed]), streamsOf })
  assert.deepEqual([figures.probes, figures.incomplete], [1, 0])
  assert.deepEqual([figures.firstUs.max, figures.completionUs.max, figures.spreadUs.max], [200, 900, 700])
})

test('a target that delays one client shows in completion and spread while first stays small', () => {
  const fanout = rows(
    Array.from({ length: 50 }, (_, sequence) => ({
      sequence,
      firstUs: sequence * 1_000 + 300,
      lastUs: sequence * 1_000 + 500_000,
      count: 3,
    })),
  )
  const figures = fanoutFigures({ snapshot: { fanout, readyClients: threeReady }, log: log(new Array(50).fill(confirmed)), streamsOf })
  assert.deepEqual([figures.firstUs.max, figures.completionUs.min, figures.spreadUs.min], [300, 500_000, 499_700])
})

test('a probe that not every client heard is incomplete and has no completion', () => {
  const fanout = rows([{ sequence: 0, firstUs: 100, lastUs: 400, count: 2 }])
  const figures = fanoutFigures({ snapshot: { fanout, readyClients: threeReady }, log: log([confirmed, confirmed]), streamsOf })
  assert.deepEqual([figures.probes, figures.incomplete, figures.firstUs.count, figures.completionUs.count], [2, 2, 1, 0])
  assert.deepEqual(figures.worst, [
    { stream: 0, sequence: 1, missing: 3, firstUs: undefined, lastUs: undefined },
    { stream: 0, sequence: 0, missing: 1, firstUs: 100, lastUs: 400 },
  ])
})

test('only clients that were ready when a probe was sent are waited for', () => {
  const fanout = rows([
    { sequence: 0, firstUs: 100, lastUs: 400, count: 2 },
    { sequence: 2, firstUs: 2_100, lastUs: 2_400, count: 3 },
  ])
  const readyClients = { client: [0, 1, 2], readyUs: [0, 0, 1_500] }
  const figures = fanoutFigures({ snapshot: { fanout, readyClients }, log: log([confirmed, absent, confirmed]), streamsOf })
  assert.deepEqual([figures.probes, figures.incomplete, figures.completionUs.count], [2, 0, 2])
  const nobody = fanoutFigures({
    snapshot: { fanout: rows([]), readyClients: { client: [], readyUs: [] } },
    log: log([confirmed]),
    streamsOf,
  })
  assert.deepEqual([nobody.probes, nobody.incomplete], [0, 0])
})

test('a probe without a confirm counts when somebody heard it, and a client waits only for its own streams', () => {
  const fanout = rows([{ sequence: 1, firstUs: 1_100, lastUs: 1_100, count: 1 }])
  const figures = fanoutFigures({
    snapshot: { fanout, readyClients: threeReady },
    log: log([unknown, nacked, unknown]),
    streamsOf: (client) => (client === 0 ? [0, 1] : [1]),
  })
  assert.deepEqual([figures.probes, figures.incomplete, figures.spreadUs.max], [1, 0, 0])
})

test('the worst probes are those that most clients miss, then the slowest, and not more than a page', () => {
  const count = 3_000
  const fanout = rows(
    Array.from({ length: count }, (_, sequence) => ({
      sequence,
      firstUs: sequence * 1_000,
      lastUs: sequence * 1_000 + sequence,
      count: sequence === 7 ? 1 : 3,
    })),
  )
  const { worst } = fanoutFigures({ snapshot: { fanout, readyClients: threeReady }, log: log(new Array(count).fill(confirmed)), streamsOf })
  assert.equal(worst.length, WORST_PROBES)
  assert.deepEqual(
    worst.slice(0, 3).map(({ sequence }) => sequence),
    [7, 2_999, 2_998],
  )
})
