import assert from 'node:assert/strict'
import { test } from 'node:test'
import { loadSettings } from '../../../src/config/load.ts'
import { makePlan } from '../../../src/config/plan.ts'
import { doctorText } from '../../../src/report/doctor.ts'
import type { Finding } from '../../../src/run/preflight.ts'

const plan = makePlan(loadSettings({ env: { WS_POOL_SIZE: '1000', RATE: '50', MSG_COUNT: '100' } }).settings, { runClockOffsetUs: 0 })
const pageOf = (findings: Finding[]) => doctorText(plan, findings)

test('the page shows every resource with what is needed and what there is', () => {
  const page = pageOf([
    { resource: 'descriptors', state: 'refused', needed: '1,100', there: '256', text: 'Raise it.', code: 'preflight-descriptors' },
    { resource: 'memory', state: 'ok', needed: '200 MB', there: '8,192 MB', text: '' },
    { resource: 'conntrack', state: 'unknown', needed: '1,000', there: 'not visible', text: '' },
  ])
  assert.equal(
    page,
    `1,000 clients to 1 target, 50,000 deliveries a second offered, 100,000 in all

    resource     needed  there
NO  descriptors  1,100   256
ok  memory       200 MB  8,192 MB
?   conntrack    1,000   not visible

NO: Raise it.

A run would be refused (exit code 3).`,
  )
})

test('a machine that can hold the run is told so', () => {
  assert.match(pageOf([{ resource: 'memory', state: 'ok', needed: '1 MB', there: '2 MB', text: '' }]), /This machine can hold the run\.$/)
})
