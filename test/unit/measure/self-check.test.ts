import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { emptyHistogram, Histogram, type HistogramData } from '../../../src/measure/histogram.ts'
import { type SelfCheckFacts, selfCheck, selfCheckLimits, type TesterHealth } from '../../../src/measure/self-check.ts'
import type { ThreadHealth } from '../../../src/measure/snapshot.ts'

/** A hundredth and a bit of the values are `tailUs`, the rest is small: p99 is `tailUs`. */
function withP99(tailUs: number, count = 10_000): HistogramData {
  const histogram = new Histogram()
  histogram.recordMany(Math.min(500, tailUs), Math.floor(count * 0.98))
  histogram.recordMany(tailUs, Math.ceil(count * 0.02))
  return histogram.data()
}

const thread = (change: Partial<ThreadHealth> = {}): ThreadHealth => ({
  replica: 0,
  thread: 1,
  role: 'crowd',
  busyUs: 4_000_000,
  spanUs: 20_000_000,
  loadedUs: 10_000_000,
  saturatedUs: 0,
  loopDelayUs: emptyHistogram(),
  passBusyUs: withP99(3_000),
  reads: 0,
  frames: 0,
  bytes: 0,
  ...change,
})

interface Case {
  readonly threads?: ThreadHealth[]
  readonly p99Us?: number
  readonly late?: { readonly count: number; readonly totalUs: number }
  readonly noPublisher?: boolean
}

const facts = ({ threads = [thread()], p99Us = 100_000, late = { count: 0, totalUs: 0 }, noPublisher = false }: Case): SelfCheckFacts => ({
  receivers: { threads, latencyUs: withP99(p99Us) },
  publisher: noPublisher ? undefined : { scheduled: 1_000, latenessByCause: { loop: late } },
})

const rows: [string, Case, TesterHealth, RegExp?][] = [
  ['nothing is wrong', {}, 'healthy'],
  ['nothing was measured', { threads: [], p99Us: 0 }, 'healthy'],
  ['no seconds with deliveries', { threads: [thread({ loadedUs: 0 })] }, 'healthy'],
  ['a thread was saturated for 9 % of the time', { threads: [thread({ saturatedUs: 900_000 })] }, 'healthy'],
  ['for 10 %', { threads: [thread({ saturatedUs: 1_000_000 })] }, 'suspect', /thread 1 of replica 0 had no reserve for 10 %/],
  ['for 49 %', { threads: [thread({ saturatedUs: 4_900_000 })] }, 'suspect', /49 %/],
  ['for half of it', { threads: [thread({ saturatedUs: 5_000_000 })] }, 'bound', /50 %.*more threads/],
  ['one of two threads was', { threads: [thread(), thread({ thread: 2, saturatedUs: 9_000_000 })] }, 'bound', /thread 2/],
  ['the publisher’s thread is as busy as it likes', { threads: [thread({ role: 'publisher', saturatedUs: 10_000_000 })] }, 'healthy'],
  ['passes busy for 9.9 ms of a 20 ms p99', { threads: [thread({ passBusyUs: withP99(9_900) })], p99Us: 20_000 }, 'healthy'],
  ['10.1 ms of it', { threads: [thread({ passBusyUs: withP99(10_100) })], p99Us: 20_000 }, 'suspect', /busy for 10.1 ms/],
  ['49 ms, nearly all of the p99', { threads: [thread({ passBusyUs: withP99(49_000) })], p99Us: 50_000 }, 'suspect'],
  [
    '51 ms of 60 ms',
    { threads: [thread({ passBusyUs: withP99(51_000) })], p99Us: 60_000 },
    'bound',
    /51 ms or more; with a p99 latency of 60 ms/,
  ],
  ['51 ms of 250 ms are less than a quarter', { threads: [thread({ passBusyUs: withP99(51_000) })], p99Us: 250_000 }, 'suspect'],
  ['51 ms of 1 s are less than a tenth', { threads: [thread({ passBusyUs: withP99(51_000) })], p99Us: 1_000_000 }, 'healthy'],
  ['a loop blocked 300 ms every second', { threads: [thread({ passBusyUs: withP99(290_000) })], p99Us: 305_000 }, 'bound', /290 ms/],
  ['the sentinels’ thread too', { threads: [thread({ role: 'sentinels', passBusyUs: withP99(290_000) })] }, 'bound', /sentinels’ thread/],
  ['too few deliveries to say', { threads: [thread({ passBusyUs: withP99(290_000, 99) })] }, 'healthy'],
  ['0.9 % of the slots late by its own loop', { late: { count: 9, totalUs: 9 * 500_000 } }, 'healthy'],
  ['1 % late by 10 ms of 100 ms', { late: { count: 10, totalUs: 10 * 10_000 } }, 'suspect', /1 % of the probes late by 10 ms/],
  ['1 % late by 9 ms of 100 ms', { late: { count: 10, totalUs: 10 * 9_000 } }, 'healthy'],
  ['4.9 % late by half a second', { late: { count: 49, totalUs: 49 * 500_000 } }, 'suspect'],
  ['5 % late by 25 ms of 100 ms', { late: { count: 50, totalUs: 50 * 25_000 } }, 'bound', /publisher.*5 %.*25 ms.*100 ms/],
  ['5 % late by 24 ms of 100 ms', { late: { count: 50, totalUs: 50 * 24_000 } }, 'suspect'],
  ['5 % late by 19 ms of 30 ms', { late: { count: 50, totalUs: 50 * 19_000 }, p99Us: 30_000 }, 'suspect'],
  ['another program publishes', { noPublisher: true }, 'healthy'],
]

test('the self-check decides row by row', () => {
  for (const [why, drawn, health, reason] of rows) {
    const found = selfCheck(facts(drawn))
    assert.equal(found.health, health, why)
    assert.equal(found.reasons.length > 0, health !== 'healthy', why)
    if (reason !== undefined) assert.match(found.reasons.join('\n'), reason, why)
  }
})

test('every reason of the worst level is told, none of a milder one', () => {
  const { health, reasons } = selfCheck(
    facts({ threads: [thread({ saturatedUs: 6_000_000, passBusyUs: withP99(90_000) })], late: { count: 20, totalUs: 20 * 30_000 } }),
  )
  assert.equal(health, 'bound')
  assert.equal(reasons.length, 2)
})

test('docs/self-check.md states the limits of the code', () => {
  const page = readFileSync(new URL('../../../docs/self-check.md', import.meta.url), 'utf8')
  const cells = (name: string) =>
    page
      .split('\n')
      .find((line) => line.startsWith(`| \`${name}\``))!
      .split('|')
      .slice(2, 4)
      .map((cell) => cell.trim())
  const levels = [selfCheckLimits.suspect, selfCheckLimits.bound]
  const delay = ({ us, shareOfP99 }: { us: number; shareOfP99: number }) => `≥ ${us / 1_000} ms and ≥ ${shareOfP99 * 100} % of p99 latency`
  assert.deepEqual(
    cells('saturated'),
    levels.map(({ saturated }) => `≥ ${saturated * 100} %`),
  )
  assert.deepEqual(
    cells('passBusy'),
    levels.map(({ passBusy }) => delay(passBusy)),
  )
  assert.deepEqual(
    cells('lateSlots'),
    levels.map(({ lateSlots }) => `≥ ${lateSlots * 100} %`),
  )
  assert.deepEqual(
    cells('lateness'),
    levels.map(({ lateness }) => delay(lateness)),
  )
})
