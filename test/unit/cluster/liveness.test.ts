import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Liveness, LivenessWatch, PausableTime } from '../../../src/cluster/liveness.ts'

test('who speaks lives; who is silent is asked for; who is absent for two seconds is gone', () => {
  const watch = new LivenessWatch(0)
  const rows: [ms: number, happens: 'heard' | 'there' | 'absent' | undefined, then: Liveness][] = [
    [1_499, undefined, 'alive'],
    [1_500, undefined, 'ask'],
    [1_600, 'absent', 'ask'],
    [3_500, 'absent', 'ask'], // 1.9 s: its connection may be made anew
    [3_550, 'there', 'ask'], // it was
    [3_560, 'absent', 'ask'],
    [5_000, 'heard', 'alive'],
    [6_500, 'absent', 'ask'],
    [8_499, 'absent', 'ask'],
    [8_500, 'absent', 'gone'],
  ]
  for (const [ms, happens, then] of rows) {
    if (happens === 'heard') watch.heard(ms)
    if (happens === 'there' || happens === 'absent') watch.answered(happens === 'there', ms)
    assert.equal(watch.look(ms), then, `${ms} ms`)
  }
})

test('a peer that is there and says nothing for half a minute hangs', () => {
  const watch = new LivenessWatch(0)
  watch.answered(true, 2_000)
  assert.equal(watch.look(29_999), 'ask')
  assert.equal(watch.look(30_000), 'mute')
})

test('time stands still while anything pauses it', () => {
  let nowMs = 100
  const time = new PausableTime(() => nowMs)
  nowMs = 150
  assert.equal(time.nowMs(), 50)
  time.pause('line down')
  nowMs = 1_000
  time.pause('broker blocks')
  time.resume('line down')
  nowMs = 2_000
  assert.deepEqual([time.nowMs(), time.isPaused], [50, true])
  time.resume('broker blocks')
  time.resume('never paused')
  nowMs = 2_010
  assert.deepEqual([time.nowMs(), time.isPaused], [60, false])
})
