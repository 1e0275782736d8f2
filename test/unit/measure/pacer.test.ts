import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { decidePace, type PacerDecision, type PacerOptions, SKIP_AFTER_US } from '../../../src/measure/pacer.ts'

const everyMs = { kind: 'open', gapUs: 1_000 } as const
const burst: PacerOptions = { pace: everyMs, catchUp: 'burst', slots: 100_000 }
const skip: PacerOptions = { ...burst, catchUp: 'skip' }
const closed: PacerOptions = { ...burst, pace: { kind: 'closed' } }

const rows: [string, PacerOptions, elapsedUs: number, used: number, PacerDecision][] = [
  ['the first slot is due at the start', burst, 0, 0, { action: 'send', slotUs: 0 }],
  ['the second is not due yet', burst, 0, 1, { action: 'wait', waitUs: 1_000 }],
  ['a fraction of a gap is left', burst, 999.5, 1, { action: 'wait', waitUs: 0.5 }],
  ['it is due to the microsecond', burst, 1_000, 1, { action: 'send', slotUs: 1_000 }],
  ['a late slot keeps its own time', burst, 1_700, 1, { action: 'send', slotUs: 1_000 }],
  ['burst: after two seconds of standstill the next slot is still the oldest', burst, 2_003_000, 3, { action: 'send', slotUs: 3_000 }],
  ['skip: a slot within the tolerance is sent', skip, 3_000 + SKIP_AFTER_US, 3, { action: 'send', slotUs: 3_000 }],
  ['skip: after two seconds of standstill only what is within the tolerance stays', skip, 2_003_000, 3, { action: 'skip', slots: 1_990 }],
  ['skip: one slot just past the tolerance', skip, 3_001 + SKIP_AFTER_US, 3, { action: 'skip', slots: 1 }],
  ['skip: never more slots than there are', { ...skip, slots: 10 }, 2_003_000, 3, { action: 'skip', slots: 7 }],
  ['skip: a long gap is its own tolerance', { ...skip, pace: { kind: 'open', gapUs: 1e6 } }, 1_900_000, 1, { action: 'send', slotUs: 1e6 }],
  [
    'skip: past a long gap the slot is left out',
    { ...skip, pace: { kind: 'open', gapUs: 1e6 } },
    2_100_000,
    1,
    { action: 'skip', slots: 1 },
  ],
  ['closed: whenever asked', closed, 0, 5, { action: 'send', slotUs: undefined }],
  ['closed: a standstill leaves nothing to catch up with', closed, 2_000_000, 5, { action: 'send', slotUs: undefined }],
  ['all slots are used up', burst, 0, 100_000, { action: 'finish' }],
  ['closed: all are sent', closed, 0, 100_000, { action: 'finish' }],
]

test('the pacer decides by the slot and the time alone', () => {
  for (const [why, options, elapsedUs, used, expected] of rows) assert.deepEqual(decidePace(options, elapsedUs, used), expected, why)
})

/** A publisher that asks whenever it wakes, with a manual clock; returns when each slot was sent, or undefined when skipped. */
function publish(options: PacerOptions, wakeDelayUs: (asked: number) => number): { sentUs: (number | undefined)[]; asked: number } {
  const sentUs: (number | undefined)[] = []
  let nowUs = 0
  let asked = 0
  for (;;) {
    const decision = decidePace(options, nowUs, sentUs.length)
    asked++
    if (decision.action === 'finish') return { sentUs, asked }
    if (decision.action === 'send') sentUs.push(nowUs)
    if (decision.action === 'skip') sentUs.push(...new Array<undefined>(decision.slots).fill(undefined))
    if (decision.action === 'wait') nowUs += decision.waitUs + wakeDelayUs(asked)
  }
}

test('ten thousand a second for an hour of slots does not drift', () => {
  const options: PacerOptions = { pace: { kind: 'open', gapUs: 100 }, catchUp: 'burst', slots: 36_000_000 }
  const last = options.slots - 1
  assert.deepEqual(decidePace(options, last * 100 - 1, last), { action: 'wait', waitUs: 1 })
  assert.deepEqual(decidePace(options, last * 100, last), { action: 'send', slotUs: last * 100 })
})

test('timers that wake a millisecond late lose no slot and reach the asked rate', () => {
  for (const catchUp of ['burst', 'skip'] as const) {
    for (const gapUs of [20_000, 1_000, 100]) {
      const slots = 10_000_000 / gapUs
      const { sentUs, asked } = publish({ pace: { kind: 'open', gapUs }, catchUp, slots }, () => 1_000)
      assert.equal(sentUs.filter((us) => us !== undefined).length, slots)
      const spanUs = sentUs.at(-1)! - sentUs[0]!
      assert.ok(Math.abs(spanUs / ((slots - 1) * gapUs) - 1) < 0.001)
      // No busy loop: about one question per slot and one per wake.
      assert.ok(asked <= 2 * slots + 2)
    }
  }
})

test('no probe goes before its slot, every slot is sent or skipped, and only late ones are skipped', () => {
  fc.assert(
    fc.property(
      fc.double({ min: 0.5, max: 50_000, noNaN: true }),
      fc.constantFrom('burst', 'skip'),
      fc.array(fc.oneof(fc.constant(0), fc.double({ min: 0, max: 200_000, noNaN: true })), { minLength: 1, maxLength: 20 }),
      (gapUs, catchUp, delays) => {
        const { sentUs } = publish({ pace: { kind: 'open', gapUs }, catchUp, slots: 500 }, (asked) => delays[asked % delays.length]!)
        assert.equal(sentUs.length, 500)
        sentUs.forEach((us, slot) => {
          if (us !== undefined) assert.ok(us >= slot * gapUs - 1e-6)
        })
        if (catchUp === 'burst') assert.ok(!sentUs.includes(undefined))
        const worstUs = Math.max(...sentUs.map((us, slot) => (us === undefined ? 0 : us - slot * gapUs)))
        if (catchUp === 'skip') assert.ok(worstUs <= Math.max(gapUs, SKIP_AFTER_US) + 1e-6)
      },
    ),
  )
})
