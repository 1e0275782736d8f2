import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Settings } from '../../../src/config/settings.ts'
import { FanfareError } from '../../../src/errors.ts'
import type { ClientCounts, Snapshot } from '../../../src/measure/snapshot.ts'
import { decideConnect, decideReady } from '../../../src/run/connect.ts'

const settings = {
  connectConcurrency: 200,
  connectRate: 2_000,
  connectDeadlineMs: 60_000,
  readyTimeoutMs: 10_000,
  readyQuorum: 1,
  wsAddr: ['ws://127.0.0.1:1/'],
} as Settings

const at = (
  clients: Partial<ClientCounts>,
  errorsByCode: Snapshot['errorsByCode'] = {},
  errorTexts: Snapshot['errorTexts'] = {},
): Snapshot =>
  ({
    clients: {
      wanted: 1_000,
      opened: 0,
      ready: 0,
      failed: 0,
      unopened: clients.failed ?? 0,
      disconnected: 0,
      connected: 0,
      reconnected: 0,
      ...clients,
    },
    errorsByCode,
    errorTexts,
  }) as Snapshot

const named = (decision: unknown): unknown => (decision instanceof FanfareError ? decision.code : decision)

test('connecting goes on while dials have no outcome', () => {
  assert.equal(decideConnect(at({ opened: 500 }), settings, 1_000), 'wait')
})

test('connecting ends when every dial opened or failed, also with failures among them', () => {
  assert.equal(decideConnect(at({ opened: 870, failed: 130 }), settings, 1_000), 'done')
})

test('a client that opened and was refused then is one outcome, not two', () => {
  const refused = at({ opened: 600, failed: 600, unopened: 0 }, { 'subscription-refused': 600 })
  assert.equal(decideConnect(refused, settings, 1_000), 'wait')
  assert.equal(decideConnect(at({ opened: 900, failed: 600, unopened: 100 }), settings, 1_000), 'done')
})

test('connecting ends the run when as many dials as may be in flight all failed', () => {
  const failures = at({ failed: 200 }, { refused: 190, 'handshake-timeout': 10 }, { refused: 'nobody listens' })
  const decision = decideConnect(failures, settings, 1_000)
  assert.equal(named(decision), 'connect-failed')
  assert.match(
    (decision as FanfareError).message,
    /first 200 clients could not connect to ws:\/\/127\.0\.0\.1:1\/: refused 190 \(nobody listens\), handshake-timeout 10/,
  )
})

test('a roster smaller than CONNECT_CONCURRENCY ends the run when all of it failed', () => {
  assert.equal(named(decideConnect(at({ wanted: 3, failed: 3 }), settings, 10)), 'connect-failed')
})

test('one open client among failures is enough to go on', () => {
  assert.equal(decideConnect(at({ opened: 1, failed: 300 }), settings, 1_000), 'wait')
})

test('connecting ends at its deadline with what is open, or the run when nothing is', () => {
  assert.equal(decideConnect(at({ opened: 10 }), settings, 60_000), 'deadline')
  assert.equal(named(decideConnect(at({ failed: 10 }), settings, 60_000)), 'connect-failed')
})

test('everyone is ready when ready and failed clients make up the roster', () => {
  assert.equal(decideReady(at({ opened: 1_000, ready: 990 }), settings, 100), 'wait')
  assert.equal(decideReady(at({ opened: 1_000, ready: 990, failed: 10 }), settings, 100), 'done')
})

test('too few ready clients end the run with the quorum and the causes', () => {
  const decision = decideReady(at({ opened: 1_000, failed: 1_000 }, { 'ready-timeout': 1_000 }), { ...settings, readyQuorum: 5 }, 100)
  assert.equal(named(decision), 'ready-failed')
  assert.match((decision as FanfareError).message, /at least 5 ready clients \(READY_QUORUM\), got 0 of 1000: ready-timeout 1000/)
})

test('waiting for acknowledgements ends soon after READY_TIMEOUT_MS', () => {
  assert.equal(decideReady(at({ opened: 1_000, ready: 990 }), settings, 10_500), 'wait')
  assert.equal(decideReady(at({ opened: 1_000, ready: 990 }), settings, 11_000), 'deadline')
})
