import assert from 'node:assert/strict'
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { readSystemFacts, reportDirProblem, unusableAddresses } from '../../../src/run/system-facts.ts'

const LIMITS = `Limit                     Soft Limit           Hard Limit           Units
Max processes             96365                96365                processes
Max open files            1024                 unlimited            files
`

test('facts are read from the kernel’s files', () => {
  const files: Record<string, string> = {
    '/proc/self/limits': LIMITS,
    '/proc/sys/net/ipv4/ip_local_port_range': '32768\t60999\n',
    '/proc/meminfo': 'MemTotal: 4000 kB\nMemAvailable:    2000 kB\n',
    '/proc/sys/net/core/somaxconn': '4096\n',
    '/proc/sys/net/netfilter/nf_conntrack_max': '262144\n',
    '/proc/sys/net/netfilter/nf_conntrack_count': '12\n',
    '/proc/net/sockstat': 'sockets: used 16\nTCP: inuse 1 orphan 0 tw 34 alloc 1 mem 197\n',
  }
  const facts = readSystemFacts((path) => files[path])
  assert.equal(facts.descriptors?.soft, 1_024)
  assert.equal(facts.descriptors?.hard, Number.POSITIVE_INFINITY)
  assert.deepEqual(facts.localPorts, { first: 32_768, last: 60_999 })
  assert.deepEqual(facts.memory, { availableBytes: 2_048_000, limitedBy: 'machine' })
  assert.equal(facts.listenBacklog, 4_096)
  assert.deepEqual(facts.trackedConnections, { max: 262_144, now: 12 })
  assert.equal(facts.timeWaitSockets, 34)
})

test('a container’s limit counts when it leaves less than the machine has', () => {
  const files: Record<string, string> = {
    '/proc/meminfo': 'MemAvailable: 2000 kB\n',
    '/proc/self/cgroup': '0::/\n',
    '/sys/fs/cgroup/memory.max': '1000000\n',
    '/sys/fs/cgroup/memory.current': '400000\n',
  }
  assert.deepEqual(readSystemFacts((path) => files[path]).memory, { availableBytes: 600_000, limitedBy: 'container' })
})

test('what cannot be seen is undefined, not a guess', () => {
  const facts = readSystemFacts(() => undefined)
  assert.deepEqual(
    [facts.descriptors, facts.localPorts, facts.memory, facts.listenBacklog, facts.trackedConnections, facts.timeWaitSockets],
    [undefined, undefined, undefined, undefined, undefined, undefined],
  )
  assert.ok(facts.cores >= 1)
})

test('a report folder is tried where it would be made, and nothing is left behind', (context) => {
  const folder = mkdtempSync(join(tmpdir(), 'fanfare-facts-'))
  context.after(() => rmSync(folder, { recursive: true }))
  assert.equal(reportDirProblem(join(folder, 'reports', 'deep')), undefined)
  assert.deepEqual(readdirSync(folder), [])

  writeFileSync(join(folder, 'file'), '')
  assert.match(reportDirProblem(join(folder, 'file')) ?? '', /ENOTDIR/)
  assert.match(reportDirProblem('/proc/fanfare') ?? '', /^\/proc\/fanfare: E/)
})

test('addresses that are not this machine’s are found by binding them', async () => {
  // 192.0.2.0/24 is reserved for documentation
  assert.deepEqual(await unusableAddresses(['127.0.0.1', '192.0.2.1']), [{ address: '192.0.2.1', why: 'EADDRNOTAVAIL' }])
})
