import assert from 'node:assert/strict'
import { test } from 'node:test'
import { loadSettings } from '../../../src/config/load.ts'
import { makePlan } from '../../../src/config/plan.ts'
import { settingsTable } from '../../../src/config/settings.ts'
import { type Demand, demandOf } from '../../../src/run/demand.ts'
import * as preflight from '../../../src/run/preflight.ts'
import type { SystemFacts } from '../../../src/run/system-facts.ts'

const demand: Demand = {
  clients: 20_000,
  receiverThreads: 2,
  clientsByTarget: new Map([['a:80', 20_000]]),
  sources: 1,
  engine: 'fast',
  isTls: false,
  probes: 1_000,
  connectConcurrency: 200,
  hasPublisher: true,
}

const machine: SystemFacts = {
  descriptors: { soft: 1_048_576, hard: 1_048_576, open: 24 },
  localPorts: { first: 32_768, last: 60_999 },
  memory: { availableBytes: 8 * 2 ** 30, limitedBy: 'machine' },
  cores: 8,
  cpuQuota: undefined,
  listenBacklog: 4_096,
  trackedConnections: { max: 262_144, now: 100 },
  timeWaitSockets: 5,
}

const noProblems = { reportDir: undefined, sourceAddresses: [] }
const planOf = (env: Record<string, string>) => makePlan(loadSettings({ env }).settings, { runClockOffsetUs: 0 })

test('a machine that is big enough holds the run', () => {
  const findings = preflight.preflight(demand, machine, noProblems)
  assert.deepEqual(new Set(findings.map((finding) => finding.state)), new Set(['ok']))
  assert.doesNotThrow(() => preflight.refuseIfImpossible(findings))
})

test('each shortage refuses with its code, both figures and a remedy', () => {
  const rows: [preflight.Finding, string, RegExp][] = [
    [
      // 24 open + 20,000 + 3 threads × 4 + 64 spare
      preflight.decideDescriptors(demand, { ...machine, descriptors: { soft: 1_024, hard: 1_024, open: 24 } }),
      'preflight-descriptors',
      /at least 20,100 open files for 20,000 clients, got 1,024\. .*ulimit -n 20100;.*soft: 20100.*at most 924 clients/,
    ],
    [
      preflight.decidePorts({ ...demand, clientsByTarget: new Map([['a:80', 60_000]]) }, machine),
      'preflight-ports',
      /at least 60,000 local ports towards a:80, got 28,232 .*3 addresses \(SOURCE_ADDRESSES=127\.0\.0\.2-127\.0\.0\.4 .*ip_local_port_range/,
    ],
    [
      preflight.decideMemory(demand, { ...machine, memory: { availableBytes: 2 ** 27, limitedBy: 'container' } }),
      'preflight-memory',
      /about 396 MB of memory for 20,000 clients and 1,000 probes, got 128 MB \(what the container has left\)\. .*mem_limit.*fewer clients/,
    ],
    [
      preflight.decideReportDir({ ...noProblems, reportDir: '/proc/x: ENOENT' }),
      'preflight-report-dir',
      /\(REPORT_DIR\), got \/proc\/x: ENOENT/,
    ],
    [
      preflight.decideSources({ ...noProblems, sourceAddresses: [{ address: '10.9.9.9', why: 'EADDRNOTAVAIL' }] })[0]!,
      'preflight-ports',
      /10\.9\.9\.9 \(SOURCE_ADDRESSES\).*EADDRNOTAVAIL.*ip address add/,
    ],
  ]
  for (const [finding, code, text] of rows) {
    assert.equal(finding.state, 'refused')
    assert.equal(finding.code, code)
    assert.match(finding.text, text)
    assert.throws(() => preflight.refuseIfImpossible([finding]), { code, message: finding.text })
  }
})

test('a remedy is one that the settings take, and concerns what is too much', () => {
  const ports = preflight.decidePorts({ ...demand, clientsByTarget: new Map([['a:80', 10_000_000]]) }, machine)
  const [, sources] = /SOURCE_ADDRESSES=(\S+)/.exec(ports.text)!
  assert.equal(settingsTable.sourceAddresses.kind.parse(sources!)?.length, 355)
  const memory = preflight.decideMemory(
    { ...demand, clients: 10, probes: 2_000_000_000 },
    { ...machine, memory: { availableBytes: 2 ** 30, limitedBy: 'machine' } },
  )
  assert.match(memory.text, /2,000,000,000 probes.* fewer probes \(MSG_COUNT/)
})

test('a limit that just suffices is enough, one less is not', () => {
  const withLimit = (soft: number) => preflight.decideDescriptors(demand, { ...machine, descriptors: { soft, hard: soft, open: 24 } }).state
  assert.deepEqual([withLimit(20_100), withLimit(20_099)], ['ok', 'refused'])
  const withClients = (clients: number) =>
    preflight.decidePorts({ ...demand, clientsByTarget: new Map([['a:80', clients]]) }, machine).state
  assert.deepEqual([withClients(28_232), withClients(28_233)], ['ok', 'refused'])
})

test('more source addresses or more target addresses stretch the ports', () => {
  const plan = planOf({ WS_POOL_SIZE: '60000', WS_ADDR: 'ws://a/,ws://b/,ws://b:81/', SOURCE_ADDRESSES: '127.0.0.2' })
  assert.equal(preflight.decidePorts(demandOf(plan, plan.roster, 2), machine).state, 'ok')
  const sources = planOf({ WS_POOL_SIZE: '60000', SOURCE_ADDRESSES: '127.0.0.2-127.0.0.4' })
  assert.equal(preflight.decidePorts(demandOf(sources, sources.roster, 2), machine).state, 'ok')
})

test('several URLs of one host and port are one target address', () => {
  const plan = planOf({ WS_POOL_SIZE: '10', WS_ADDR: 'ws://a/,ws://a:80/?x=1,wss://b/' })
  assert.deepEqual(
    [...demandOf(plan, plan.roster, 1).clientsByTarget],
    [
      ['a:80', 7],
      ['b:443', 3],
    ],
  )
  // a replica's share begins in the middle of a round
  assert.deepEqual(
    [...demandOf(plan, { firstClient: 2, clients: 2 }, 1).clientsByTarget],
    [
      ['a:80', 1],
      ['b:443', 1],
    ],
  )
})

test('all refusals are told at once, under the code of the first', () => {
  const poor = { ...machine, descriptors: { soft: 10, hard: 10, open: 5 }, memory: { availableBytes: 1, limitedBy: 'machine' } as const }
  assert.throws(() => preflight.refuseIfImpossible(preflight.preflight(demand, poor, noProblems)), {
    code: 'preflight-descriptors',
    message: /open files.*\n.*of memory/,
  })
})

test('what is only risky is a warning', () => {
  const rows: [preflight.Finding, RegExp][] = [
    [preflight.decideCores(demand, { ...machine, cpuQuota: 1.5 }), /share 1\.5 core/],
    [preflight.decideBacklog(demand, { ...machine, listenBacklog: 128 }), /queues at most 128 .*CONNECT_CONCURRENCY.*somaxconn/],
    [preflight.decideConntrack(demand, { ...machine, trackedConnections: { max: 20_000, now: 1 } }), /at most 19,999 more/],
    [preflight.decideTimeWait(demand, { ...machine, timeWaitSockets: 8_233 }), /8,233 connections are in TIME_WAIT/],
  ]
  for (const [finding, text] of rows) {
    assert.equal(finding.state, 'warning')
    assert.match(finding.text, text)
  }
})

test('what cannot be seen refuses nothing', () => {
  const blind: SystemFacts = {
    descriptors: undefined,
    localPorts: undefined,
    memory: undefined,
    cores: 8,
    cpuQuota: undefined,
    listenBacklog: undefined,
    trackedConnections: undefined,
    timeWaitSockets: undefined,
  }
  const findings = preflight.preflight(demand, blind, noProblems)
  assert.doesNotThrow(() => preflight.refuseIfImpossible(findings))
  assert.equal(findings.filter((finding) => finding.state === 'unknown').length, 6)
})

test('memory grows with clients, the engine, TLS, threads and probes', () => {
  const base = preflight.memoryNeededBytes(demand)
  for (const more of [{ clients: 30_000 }, { engine: 'ws' as const }, { isTls: true }, { receiverThreads: 3 }, { probes: 1_000_000 }])
    assert.ok(preflight.memoryNeededBytes({ ...demand, ...more }) > base, JSON.stringify(more))
})
