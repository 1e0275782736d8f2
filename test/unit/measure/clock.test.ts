import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Worker } from 'node:worker_threads'
import fc from 'fast-check'
import { monotonicUs, RunClock, systemClocks } from '../../../src/measure/clock.ts'
import { ManualClocks } from '../../doubles/manual-clocks.ts'

test('a run clock tells CLOCK_MONOTONIC plus the offset of the plan, within its bound', () => {
  const reads = fc.array(fc.double({ min: 0.01, max: 50, noNaN: true }), { minLength: 1, maxLength: 50 })
  fc.assert(
    fc.property(
      reads,
      fc.integer({ min: -1e12, max: 1e12 }),
      fc.integer({ min: 0, max: 1e9 }),
      (durations, performanceOffsetUs, laterUs) => {
        let next = 0
        const clocks = new ManualClocks({ performanceOffsetUs, readUs: () => durations[next++ % durations.length]! })
        const clock = new RunClock(1_760_000_000_000_000, clocks)
        clocks.advance(laterUs)
        const beforeUs = clocks.monotonicNowUs + 1_760_000_000_000_000
        const nowUs = clock.nowUs()
        const afterUs = clocks.monotonicNowUs + 1_760_000_000_000_000
        // One step of a double at this size stands for the arithmetic of the test itself.
        assert.ok(nowUs >= beforeUs - clock.boundUs - 0.25 && nowUs <= afterUs + clock.boundUs + 0.25)
        assert.ok(clock.boundUs > 0)
      },
    ),
  )
})

test('the tightest of many reads decides the bound, so interrupted ones do not widen it', () => {
  let reads = 0
  const clock = new RunClock(0, new ManualClocks({ readUs: () => (reads++ % 7 === 0 ? 900 : 0.2) }))
  assert.ok(clock.boundUs < 1, `got ${clock.boundUs}`)
})

test('two threads of this process read the same clock', async () => {
  const offsetUs = 1_760_000_000_000_000
  const clock = new RunClock(offsetUs)
  // A worker's performance.now() has an origin of its own; what it shares with us is CLOCK_MONOTONIC.
  const worker = new Worker(
    `const { parentPort } = require('node:worker_threads')
     parentPort.on('message', () => {
       const before = process.hrtime.bigint(); const ms = performance.now(); const after = process.hrtime.bigint()
       parentPort.postMessage({ before, ms, after })
     })`,
    { eval: true },
  )
  try {
    const beforeUs = clock.nowUs()
    worker.postMessage('')
    const reply = await new Promise<{ before: bigint; ms: number; after: bigint }>((resolve) => worker.once('message', resolve))
    const afterUs = clock.nowUs()
    assert.ok(Number(reply.before) / 1_000 + offsetUs >= beforeUs - clock.boundUs)
    assert.ok(Number(reply.after) / 1_000 + offsetUs <= afterUs + clock.boundUs)
  } finally {
    await worker.terminate()
  }
})

test('on this machine the mapping is good to less than a millisecond', () => {
  const clock = new RunClock(0)
  const beforeUs = monotonicUs(systemClocks)
  const nowUs = clock.nowUs()
  const afterUs = monotonicUs(systemClocks)
  assert.ok(clock.boundUs < 1_000)
  assert.ok(nowUs >= beforeUs - clock.boundUs && nowUs <= afterUs + clock.boundUs)
})
