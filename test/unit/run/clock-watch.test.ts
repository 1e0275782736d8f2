import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ClockWatch } from '../../../src/run/clock-watch.ts'
import { ManualClocks } from '../../doubles/manual-clocks.ts'

function watchFor(seconds: number, sources: ManualClocks, watch: ClockWatch): void {
  for (let second = 0; second < seconds; second++) {
    sources.advance(1_000_000)
    watch.look()
  }
}

test('the run clock is wall time when the run begins', () => {
  const sources = new ManualClocks()
  const watch = new ClockWatch({ isStampedElsewhere: false, sources })
  assert.ok(Math.abs(watch.runClockOffsetUs - (sources.wallNowUs - sources.monotonicNowUs)) < 1)
  assert.equal(watch.epochBoundUs, undefined)
})

test('wall time that drifts is no news, one that jumps is told once, with direction and size', () => {
  const sources = new ManualClocks({ wallDriftPpm: 50 })
  const watch = new ClockWatch({ isStampedElsewhere: false, sources })
  watchFor(60, sources, watch)
  assert.deepEqual(watch.warnings, [])

  sources.stepWall(120_000)
  watchFor(5, sources, watch)
  sources.stepWall(-3_600_000_000)
  watchFor(5, sources, watch)
  assert.deepEqual(
    watch.warnings.map(({ code, text }) => [code, /jumped (forward|back) by (\d+) ms/.exec(text)?.slice(1)]),
    [
      ['wall-clock-jump', ['forward', '120']],
      ['wall-clock-jump', ['back', '3600000']],
    ],
  )
})

test('a clock that is set all the time fills no report', () => {
  const sources = new ManualClocks()
  const watch = new ClockWatch({ isStampedElsewhere: false, sources })
  for (let jump = 0; jump < 20; jump++) {
    sources.stepWall(70_000)
    watchFor(1, sources, watch)
  }
  assert.equal(watch.warnings.length, 6)
  assert.match(watch.warnings.at(-1)!.text, /15 more times/)
})

test('with INJECTOR=none a jump goes into the bound, and the run clock stays where it is', () => {
  const sources = new ManualClocks()
  const watch = new ClockWatch({ isStampedElsewhere: true, sources })
  const { runClockOffsetUs } = watch
  watchFor(10, sources, watch)
  assert.ok(watch.epochBoundUs! > 0 && watch.epochBoundUs! < 1_000)

  sources.stepWall(80_000)
  watchFor(1, sources, watch)
  assert.ok(watch.epochBoundUs! >= 80_000)
  assert.equal(watch.runClockOffsetUs, runClockOffsetUs)
  assert.match(watch.warnings[0]!.text, /latencies from then on are off/)
})
