import assert from 'node:assert/strict'
import { test } from 'node:test'
import { liveFigures } from '../../../src/report/live-figures.ts'
import { progressLine } from '../../../src/report/progress.ts'
import type { RunState } from '../../../src/run/result.ts'
import { secondsToUs } from '../../../src/units.ts'
import { STARTED_US, simulateRun, stateOf } from '../../fixtures/simulated-run.ts'

const at = (seconds: number): number => STARTED_US + secondsToUs(seconds)

/** 100 clients, 300 probes at 100/s: publishing lasts from second 2 to second 5. */
const result = simulateRun({ clients: 100, probes: 300, gapUs: 10_000 })
const state = (phase: RunState['phase'], phaseStartedS: number): RunState => ({
  ...stateOf(result, phase),
  phaseStartedUs: at(phaseStartedS),
})

test('figures of the last whole second are those of that second, figures of the run are those of all', () => {
  const figures = liveFigures(state('publish', 2), at(4))
  assert.equal(figures.publish?.ratePerSecond, 100)
  assert.equal(figures.deliveries.ratePerSecond, 100 * 100)
  assert.equal(figures.deliveries.offeredPerSecond, 100 * 100)
  assert.ok(Math.abs(figures.lastSecond.p50Us! - 1_490) < 5)
  assert.equal(figures.run.maxUs, 1_990)
})

test('progress of connecting is told in clients, with the time to go at the pace so far', () => {
  const connecting = state('connect', 0)
  const half = { ...connecting, receivers: { ...connecting.receivers, clients: { ...connecting.receivers.clients, ready: 50 } } }
  assert.deepEqual(liveFigures(half, at(2)).progress, { done: 50, total: 100, of: 'clients', etaMs: 2_000 })
})

test('a progress line names phase, progress, clients, rates and latencies, each with its unit', () => {
  const publisher = { ...result.publisher!, published: 200, confirmed: 199 }
  const line = progressLine(liveFigures({ ...state('publish', 2), publisher }, at(4)))
  assert.match(line, /^4\.0 s publish 66\.7 % of 300 probes, 1 s to go \| /)
  assert.match(line, /clients 100 open, 100 ready of 100 \|/)
  assert.match(line, /published 200 at 100\/s \|/)
  assert.match(line, /delivered 30,000 at 10,000\/s of 10,000\/s offered, 0 outstanding \|/)
  assert.match(line, /last second p50 1\.49 ms p99 1\.98 ms max 1\.99 ms \| run p50/)
  assert.doesNotMatch(line, /lost|missed|duplicated/)
})

test('a progress line tells what stands in the way and what went wrong', () => {
  const { receivers } = result
  const line = progressLine(
    liveFigures(
      {
        ...state('publish', 2),
        publisher: { ...result.publisher!, obstacle: 'blocked' },
        receivers: { ...receivers, measured: { ...receivers.measured, duplicated: 3 }, clients: { ...receivers.clients, disconnected: 2 } },
      },
      at(4),
    ),
  )
  assert.match(line, /\(blocked\)/)
  assert.match(line, /2 disconnected/)
  assert.match(line, /3 duplicated$/)
})

test('before anything is known a progress line has no empty parts', () => {
  const idle = simulateRun({ clients: 1, probes: 1, latencyUs: () => undefined })
  const receivers = { ...idle.receivers, measured: { ...idle.receivers.measured, lost: 0 } }
  const line = progressLine(liveFigures({ ...stateOf(idle, 'preflight'), receivers, publisher: undefined }, STARTED_US))
  assert.equal(line, '0.0 s preflight | clients 1 open, 1 ready of 1')
})
