import assert from 'node:assert/strict'
import { test } from 'node:test'
import { loadSettings } from '../../../src/config/load.ts'
import { makePlan } from '../../../src/config/plan.ts'
import { ProbeState } from '../../../src/measure/publisher-log.ts'
import { firstSnapshot, settleDeadLog } from '../../../src/run/publisher-snapshot.ts'
import { sharedLog } from '../../../src/run/shared-log.ts'

const { absent, outstanding, confirmed, returned, unknown } = ProbeState

test('when the thread that wrote the log is dead, what it left outstanding is unknown and the sums hold', () => {
  const plan = makePlan(loadSettings({ env: { MSG_COUNT: '6' } }).settings, { runClockOffsetUs: 0 })
  const log = sharedLog(plan)
  log.streams[0]!.states.set([confirmed, outstanding, returned, absent, outstanding, absent])
  const last = { ...firstSnapshot(plan), scheduled: 3, published: 3, confirmed: 1, outstanding: 2 }
  const settled = settleDeadLog(log, last)
  assert.deepEqual([...log.streams[0]!.states], [confirmed, unknown, returned, absent, unknown, absent])
  assert.equal(settled.published, 4)
  assert.equal(settled.published, settled.confirmed + settled.returned + settled.nacked + settled.unknown)
  assert.equal(settled.scheduled, settled.published + settled.skipped)
  assert.equal(settled.outstanding, 0)
})
