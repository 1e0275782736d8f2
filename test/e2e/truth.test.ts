import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ClientTruth } from '../../src/target/truth.ts'
import { fanfare } from '../fixtures/fanfare.ts'
import { setStage } from '../fixtures/stage.ts'

test('what the target dropped, repeated and swapped stands in the report, client by client and probe by probe', async () => {
  const stage = await setStage({
    habits: [
      { kind: 'drop', clients: [17], sequences: [41, 42, 199] },
      { kind: 'drop', clients: [3], sequences: [0] },
      { kind: 'drop', clients: [3, 5, 17], sequences: [77] },
      { kind: 'repeat', clients: [8], sequences: [10], copies: 2 },
      { kind: 'repeat', clients: [9, 17], sequences: [11] },
      { kind: 'swap', clients: [20, 21], first: 50, second: 53 },
    ],
  })
  const { exitCode, report } = await fanfare(['run'], { ...stage.settings, WS_POOL_SIZE: '60', MSG_COUNT: '200', MSG_DELAY: '5' })
  const truth = stage.target.truth.clients()
  await stage.close()

  assert.equal(exitCode, 1)
  assert.ok(report)
  const measured = (client: ClientTruth) => client.streams.filter(({ probeStream }) => probeStream === '0000')
  const sum = (count: (client: ClientTruth) => number): number => truth.reduce((total, client) => total + count(client), 0)
  const dropped = (client: ClientTruth): number[] => measured(client).flatMap((stream) => stream.dropped)
  const repeated = (client: ClientTruth): number[] => measured(client).flatMap((stream) => stream.repeated)

  assert.equal(
    sum((client) => dropped(client).length),
    7,
    'the target did what it was told',
  )
  assert.equal(report.deliveries.expected, 60 * 200)
  assert.equal(
    report.deliveries.lost,
    sum((client) => dropped(client).length),
  )
  assert.equal(
    report.deliveries.duplicated,
    sum((client) => repeated(client).length),
  )
  assert.equal(report.deliveries.delivered, 60 * 200 - 7)
  assert.equal(report.deliveries.missed, 0)
  assert.equal(report.stopReason, 'quiet')

  const rows = new Map(report.worst.clients.map((row) => [row.localPort, row]))
  for (const client of truth) {
    const row = rows.get(client.remotePort)
    assert.equal(row?.lost ?? 0, dropped(client).length, `client ${client.client} lost what it was not sent`)
    assert.equal(row?.duplicated ?? 0, repeated(client).length, `client ${client.client} was sent copies`)
  }
  const missing = new Map(report.worst.probes.map(({ sequence, missing }) => [sequence, missing]))
  for (const [sequence, clients] of [
    [77, 3],
    [41, 1],
    [42, 1],
    [199, 1],
    [0, 1],
  ] as const) {
    assert.equal(missing.get(sequence), clients, `probe ${sequence} is missing at ${clients} clients`)
  }
})

test('probes that overtake each other are counted at each client', async () => {
  const stage = await setStage({ habits: [{ kind: 'swap', clients: [20, 21], first: 50, second: 53 }] })
  const { report } = await fanfare(['run'], { ...stage.settings, WS_POOL_SIZE: '30', MSG_COUNT: '60', MSG_DELAY: '5' })
  await stage.close()
  // 53 51 52 50: three first deliveries come after a higher sequence.
  assert.equal(report?.deliveries.outOfOrder, 2 * 3)
  assert.equal(report?.deliveries.delivered, 30 * 60)
  assert.equal(report?.verdict.outcome, 'pass')
})
