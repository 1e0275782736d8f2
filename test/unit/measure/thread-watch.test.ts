import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate as nextPass } from 'node:timers/promises'
import { Histogram, type HistogramData } from '../../../src/measure/histogram.ts'
import { ThreadWatch, type Timers } from '../../../src/measure/thread-watch.ts'
import { ManualClock } from '../../doubles/manual-clock.ts'

const START_US = 1_760_000_000_000_000

/** A loop moved by hand: passes end and the heartbeat runs when told. */
class ManualLoop implements Timers {
  #immediates: (() => void)[] = []
  #heartbeat: (() => void) | undefined

  readonly onPassEnd = (callback: () => void): void => {
    this.#immediates.push(callback)
  }

  readonly every = (_ms: number, callback: () => void): (() => void) => {
    this.#heartbeat = callback
    return () => {
      this.#heartbeat = undefined
    }
  }

  get isBeating(): boolean {
    return this.#heartbeat !== undefined
  }

  get openPasses(): number {
    return this.#immediates.length
  }

  beat(): void {
    this.#heartbeat?.()
  }

  endPass(): void {
    const ended = this.#immediates
    this.#immediates = []
    for (const callback of ended) callback()
  }
}

function newWatch(traffic?: () => { reads: number; frames: number; bytes: number }) {
  const clock = new ManualClock(START_US)
  const loop = new ManualLoop()
  const watch = new ThreadWatch({ clock, replica: 1, thread: 2, role: 'crowd', ...(traffic !== undefined && { traffic }) }, loop)
  return { clock, loop, watch }
}

const values = (data: HistogramData): (number | undefined)[] => [data.count, data.min, data.max, data.mean]
const valuesOf = (list: number[]) => {
  const histogram = new Histogram()
  for (const us of list) histogram.record(us)
  return values(histogram.data())
}

test('a pass is busy from its first read on, and each delivery counts with the busy time of its read', () => {
  const { loop, watch } = newWatch()
  watch.delivered(START_US + 100)
  watch.delivered(START_US + 100)
  watch.delivered(START_US + 400)
  assert.equal(watch.busyUs(START_US + 450), 350)
  watch.delivered(START_US + 900)
  assert.equal(loop.openPasses, 1)
  loop.endPass()
  watch.delivered(START_US + 5_000)
  assert.deepEqual(values(watch.take().passBusyUs), valuesOf([0, 0, 300, 800, 0]))
})

test('when the heartbeat is overdue, the loop was held up before the read, and the pass began when it was due', () => {
  const { clock, watch } = newWatch()
  watch.start()
  clock.set(START_US + 310_000)
  assert.equal(watch.busyUs(START_US + 310_000), 300_000)
  watch.delivered(START_US + 310_000)
  assert.deepEqual(values(watch.take().passBusyUs), valuesOf([300_000]))
  watch.stop()
})

test('when the heartbeat ran late, reads up to the end of the next pass count from when it was due', () => {
  const { clock, loop, watch } = newWatch()
  watch.start()
  clock.set(START_US + 310_000)
  loop.beat()
  watch.delivered(START_US + 310_500)
  loop.endPass()
  watch.delivered(START_US + 311_000)
  const { passBusyUs, loopDelayUs } = watch.take()
  assert.deepEqual(values(passBusyUs), valuesOf([300_500, 0]))
  assert.deepEqual(values(loopDelayUs), valuesOf([300_000]))
  watch.stop()
})

test('a timer that is a millisecond late is no hold-up, and is told as loop delay', () => {
  const { clock, loop, watch } = newWatch()
  watch.start()
  clock.set(START_US + 11_200)
  watch.delivered(START_US + 11_200)
  loop.endPass()
  loop.beat()
  const { passBusyUs, loopDelayUs } = watch.take()
  assert.deepEqual(values(passBusyUs), valuesOf([0]))
  assert.deepEqual(values(loopDelayUs), valuesOf([1_200]))
})

test('a snapshot tells of its own span and of what the engine read in it', () => {
  let traffic = { reads: 3, frames: 10, bytes: 900 }
  const { clock, loop, watch } = newWatch(() => traffic)
  watch.start()
  clock.set(START_US + 1_000_000)
  const first = watch.take()
  assert.deepEqual([first.spanUs, first.reads, first.frames, first.bytes], [1_000_000, 3, 10, 900])
  assert.deepEqual([first.replica, first.thread, first.role], [1, 2, 'crowd'])
  traffic = { reads: 4, frames: 30, bytes: 1_000 }
  clock.set(START_US + 3_000_000)
  const second = watch.take()
  assert.deepEqual([second.spanUs, second.reads, second.frames, second.bytes, second.passBusyUs.count], [2_000_000, 1, 20, 100, 0])
  assert.equal(second.loadedUs, 0)
  watch.delivered(START_US + 3_000_001)
  clock.set(START_US + 3_500_000)
  assert.equal(watch.take().loadedUs, 500_000)
  watch.stop()
  assert.equal(loop.isBeating, false)
})

test('on the real loop one pass ends with the pass, and busy time is not negative', async () => {
  const watch = new ThreadWatch({ clock: new ManualClock(START_US), replica: 0, thread: 0, role: 'crowd' })
  watch.delivered(START_US + 1)
  await nextPass()
  await nextPass()
  watch.delivered(START_US + 70)
  const { passBusyUs, busyUs } = watch.take()
  assert.deepEqual(values(passBusyUs), valuesOf([0, 0]))
  assert.ok(busyUs >= 0)
})
