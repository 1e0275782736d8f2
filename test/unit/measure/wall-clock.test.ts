import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { monotonicUs, systemClocks } from '../../../src/measure/clock.ts'
import { anchorRunClock, EpochClock, WALL_JUMP_US, WallWatch } from '../../../src/measure/wall-clock.ts'
import { ManualClocks } from '../../doubles/manual-clocks.ts'

/** True wall time minus CLOCK_MONOTONIC. */
const trueOffsetUs = (clocks: ManualClocks): number => clocks.wallNowUs - clocks.monotonicNowUs

const readTimes = fc.array(fc.double({ min: 0.05, max: 400, noNaN: true }), { minLength: 1, maxLength: 30 })
const cycle = (values: number[]) => {
  let next = 0
  return () => values[next++ % values.length]!
}

test('the anchor finds wall time inside its bound, however long the reads take', () => {
  fc.assert(
    fc.property(readTimes, fc.integer({ min: 0, max: 4e15 }), (durations, wallOffsetUs) => {
      const clocks = new ManualClocks({ wallOffsetUs, readUs: cycle(durations) })
      const anchor = anchorRunClock(clocks)
      assert.ok(Math.abs(anchor.runClockOffsetUs - wallOffsetUs) <= anchor.boundUs + 0.25)
      assert.ok(anchor.boundUs > 0)
    }),
  )
})

test('the anchor on this machine agrees with Date.now()', () => {
  const anchor = anchorRunClock()
  const firstMs = Date.now()
  const runUs = monotonicUs(systemClocks) + anchor.runClockOffsetUs
  const lastMs = Date.now()
  assert.ok(runUs >= firstMs * 1_000 - anchor.boundUs && runUs <= (lastMs + 1) * 1_000 + anchor.boundUs)
})

test('wall time that stands still is a fault, not an endless wait', () => {
  const clocks = new ManualClocks({ readUs: () => 5 })
  assert.throws(
    () =>
      anchorRunClock({ ...clocks, wallMs: () => 1_760_000_000_000, monotonicNs: clocks.monotonicNs, performanceMs: clocks.performanceMs }),
    {
      code: 'fault',
    },
  )
})

test('a jump of wall time is noticed once, with its size; drift and slow reads are none', () => {
  const rows: [stepUs: number, readUs: number, isNoticed: boolean, why: string][] = [
    [0, 0.1, false, 'nothing happened'],
    [40_000, 0.1, false, 'below the limit'],
    [-40_000, 0.1, false, 'below the limit, back'],
    [60_000, 0.1, true, 'forward'],
    [-3_600_000_000, 0.1, true, 'an hour back'],
    [0, 200_000, false, 'the read was interrupted for longer than the limit'],
  ]
  for (const [stepUs, readUs, isNoticed, why] of rows) {
    let currentReadUs = 0.1
    const clocks = new ManualClocks({ wallDriftPpm: 50, readUs: () => currentReadUs })
    const watch = new WallWatch(anchorRunClock(clocks), clocks)
    for (let second = 0; second < 20; second++) {
      clocks.advance(1_000_000)
      assert.equal(watch.jumpUs(), undefined, why)
    }
    clocks.stepWall(stepUs)
    currentReadUs = readUs
    const jumpUs = watch.jumpUs()
    assert.equal(jumpUs !== undefined, isNoticed, why)
    if (jumpUs !== undefined) assert.ok(Math.abs(jumpUs - stepUs) <= 2_000, why)
    currentReadUs = 0.1
    clocks.advance(1_000_000)
    if (readUs < WALL_JUMP_US) assert.equal(watch.jumpUs(), undefined, why)
  }
})

test('the epoch clock: wall time lies inside the bound whether it drifts, is stepped or reads are slow', () => {
  const events = fc.array(
    fc.record({ afterUs: fc.integer({ min: 0, max: 1_500_000 }), stepUs: fc.constantFrom(0, 0, 0, 50_000, -50_000, 7, 3_000_000) }),
    {
      maxLength: 20,
    },
  )
  fc.assert(
    fc.property(fc.integer({ min: -50, max: 50 }), readTimes, events, (wallDriftPpm, durations, drawn) => {
      const clocks = new ManualClocks({ wallDriftPpm, readUs: cycle(durations) })
      const clock = new EpochClock(clocks)
      for (const { afterUs, stepUs } of drawn) {
        clocks.stepWall(stepUs)
        clock.check()
        clocks.advance(afterUs)
        const boundUs = clock.boundUs()
        assert.ok(boundUs > 0)
        assert.ok(Math.abs(trueOffsetUs(clocks) - clock.runClockOffsetUs) <= boundUs + 0.5)
      }
    }),
  )
})
