import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { fanoutColumns, NO_FANOUT } from '../../../src/measure/fanout-merge.ts'
import { Histogram, type HistogramData } from '../../../src/measure/histogram.ts'
import type { ClientRow, DeliveryCounts, FanoutRows, Snapshot } from '../../../src/measure/snapshot.ts'
import {
  byBadness,
  byPlace,
  emptyClientCounts,
  emptyDeliveryCounts,
  emptySnapshot,
  MAX_ENDINGS,
  MAX_MISSING_LISTED,
  mergeSnapshots,
  WORST_CLIENTS,
} from '../../../src/measure/snapshot-merge.ts'
import { SnapshotTotal } from '../../../src/measure/snapshot-total.ts'
import { assertClose } from '../../doubles/assert-close.ts'

const smallCounts = <T extends object>(zero: T): fc.Arbitrary<T> =>
  fc.record(Object.fromEntries(Object.keys(zero).map((key) => [key, fc.integer({ min: -5, max: 1_000 })]))) as unknown as fc.Arbitrary<T>

const histograms: fc.Arbitrary<HistogramData> = fc.array(fc.integer({ min: -3_000, max: 5_000_000 }), { maxLength: 6 }).map((values) => {
  const histogram = new Histogram()
  for (const us of values) histogram.record(us)
  return histogram.data()
})

const maybeTime = fc.option(fc.integer({ min: 1, max: 1e6 }), { nil: undefined })

/** A list with one entry per key, in order, as every snapshot has it. */
const keyed = <T>(entry: fc.Arbitrary<T>, key: (entry: T) => unknown, compare: (a: T, b: T) => number): fc.Arbitrary<T[]> =>
  fc.uniqueArray(entry, { maxLength: 5, selector: key }).map((entries) => entries.sort(compare))

const fanouts: fc.Arbitrary<FanoutRows> = keyed(
  fc.record({
    stream: fc.nat(1),
    sequence: fc.nat(6),
    intendedUs: fc.nat(100),
    sentUs: fc.nat(100),
    firstUs: fc.nat(100),
    lastUs: fc.nat(100),
    count: fc.integer({ min: 1, max: 9 }),
  }),
  ({ stream, sequence }) => `${stream} ${sequence}`,
  (a, b) => a.stream - b.stream || a.sequence - b.sequence,
).map((rows) => Object.fromEntries(fanoutColumns.map((column) => [column, rows.map((row) => row[column])])) as unknown as FanoutRows)

const codes = fc.dictionary(fc.constantFrom('dns', 'refused', 'tls'), fc.integer({ min: 1, max: 9 }))
const clientRows = fc.record({ client: fc.nat(1e6), missed: fc.nat(3), lost: fc.nat(3), duplicated: fc.nat(2) }).map(
  (row): ClientRow => ({
    replica: 0,
    target: 0,
    localAddress: '',
    localPort: 0,
    expected: 0,
    delivered: 0,
    outOfOrder: 0,
    early: 0,
    late: 0,
    unexpected: 0,
    lastSequence: 0,
    ...row,
  }),
)

const deliveryCounts: fc.Arbitrary<DeliveryCounts> = smallCounts(emptyDeliveryCounts())

const snapshots: fc.Arbitrary<Snapshot> = fc.record({
  fromUs: fc.integer({ min: 1, max: 100 }),
  toUs: fc.integer({ min: 100, max: 200 }),
  clients: smallCounts(emptyClientCounts()),
  errorsByCode: codes,
  endings: fc.dictionary(fc.oneof(fc.constantFrom('1006', 'other'), fc.nat(200).map(String)), fc.integer({ min: 1, max: 9 }), {
    maxKeys: 80,
  }),
  portRetries: fc.nat(9),
  firstDialUs: maybeTime,
  lastReadyUs: maybeTime,
  connectLatencyUs: histograms,
  readyLatencyUs: histograms,
  measured: deliveryCounts,
  warmup: deliveryCounts,
  canary: deliveryCounts,
  firstDeliveryUs: maybeTime,
  lastDeliveryUs: maybeTime,
  longestSilenceUs: fc.nat(),
  highestSequence: fc.dictionary(fc.constantFrom('0', '1'), fc.integer({ min: -1, max: 99 })),
  otherFrames: fc.dictionary(fc.constantFrom('pong', 'ack'), fc.nat(9)),
  latencyUs: histograms,
  serviceLatencyUs: histograms,
  sentinelLatencyUs: histograms,
  resentDuplicates: fc.nat(9),
  resentOutOfOrder: fc.nat(9),
  fanout: fanouts,
  fanoutCapped: fc.nat(9),
  timeline: keyed(
    fc.record({
      second: fc.nat(9),
      delivered: fc.nat(9),
      opened: fc.nat(9),
      ready: fc.nat(9),
      connected: fc.integer({ min: -9, max: 9 }),
      disconnected: fc.nat(9),
      latencyUs: histograms,
    }),
    ({ second }) => second,
    (a, b) => a.second - b.second,
  ),
  threads: keyed(
    fc.record({
      replica: fc.nat(1),
      thread: fc.nat(2),
      role: fc.constant('crowd' as const),
      busyUs: fc.nat(),
      spanUs: fc.nat(),
      loadedUs: fc.nat(),
      saturatedUs: fc.nat(),
      loopDelayUs: histograms,
      passBusyUs: histograms,
      reads: fc.nat(),
      frames: fc.nat(),
      bytes: fc.nat(),
    }),
    ({ replica, thread }) => `${replica} ${thread}`,
    (a, b) => a.replica - b.replica || a.thread - b.thread,
  ),
  targets: keyed(
    fc.record({
      target: fc.nat(3),
      opened: fc.nat(9),
      ready: fc.nat(9),
      failed: fc.nat(9),
      disconnected: fc.nat(9),
      delivered: fc.nat(9),
      latencyUs: histograms,
    }),
    ({ target }) => target,
    (a, b) => a.target - b.target,
  ),
  worstClients: fc
    .uniqueArray(clientRows, { maxLength: 30, selector: ({ client }) => client })
    .map((rows) => rows.sort(byBadness).slice(0, WORST_CLIENTS)),
  missing: fc
    .uniqueArray(fc.record({ client: fc.nat(99), stream: fc.nat(1), sequence: fc.nat(9), why: fc.constant('lost' as const) }), {
      maxLength: 5,
      selector: (row) => JSON.stringify(row),
    })
    .map((rows) => rows.sort(byPlace)),
  unbalancedRows: fc.nat(3),
  heardNothing: fc.nat(3),
  readyClients: fc
    .uniqueArray(fc.nat(1e6), { maxLength: 5 })
    .map((clients) => ({ client: clients.sort((a, b) => a - b), readyUs: clients.map((client) => client * 2) })),
  ledgerBytes: fc.nat(),
  isLedgerOverflowed: fc.boolean(),
  clockBoundUs: fc.double({ min: 0.1, max: 100, noNaN: true }),
})

test('merging is commutative', () => {
  fc.assert(fc.property(snapshots, snapshots, (a, b) => assertClose(mergeSnapshots(a, b), mergeSnapshots(b, a))))
})

test('merging is associative', () => {
  fc.assert(
    fc.property(snapshots, snapshots, snapshots, (a, b, c) => {
      assertClose(mergeSnapshots(mergeSnapshots(a, b), c), mergeSnapshots(a, mergeSnapshots(b, c)))
    }),
  )
})

test('the empty snapshot changes nothing, and merging changes neither side', () => {
  fc.assert(
    fc.property(snapshots, snapshots, (drawn, other) => {
      // Drawn endings may be more than a merged snapshot keeps.
      const a = { ...drawn, endings: mergeSnapshots(drawn, emptySnapshot()).endings }
      assertClose(mergeSnapshots(a, emptySnapshot()), a)
      const before = structuredClone([a, other])
      mergeSnapshots(a, other)
      assertClose([a, other], before)
    }),
  )
})

test('a running total is the fold of all snapshots, whenever it is read', () => {
  fc.assert(
    fc.property(fc.array(fc.tuple(snapshots, fc.boolean()), { maxLength: 6 }), (drawn) => {
      const total = new SnapshotTotal()
      for (const [snapshot, isRead] of drawn) {
        total.add(snapshot)
        if (isRead) total.read()
      }
      assertClose(
        total.read(),
        drawn.reduce((sum, [snapshot]) => mergeSnapshots(sum, snapshot), emptySnapshot()),
      )
      assert.equal(total.read(), total.read())
    }),
  )
})

test('a merged snapshot crosses threads and comes back equal', () => {
  fc.assert(
    fc.property(snapshots, snapshots, (a, b) => {
      const merged = mergeSnapshots(a, b)
      assertClose(structuredClone(merged), merged)
    }),
  )
})

test('fan-out rows of one probe add up: first of firsts, last of lasts, sum of counts', () => {
  const row = (firstUs: number, lastUs: number, count: number): FanoutRows => ({
    stream: [1],
    sequence: [4],
    intendedUs: [10],
    sentUs: [11],
    firstUs: [firstUs],
    lastUs: [lastUs],
    count: [count],
  })
  const { fanout } = mergeSnapshots({ ...emptySnapshot(), fanout: row(20, 50, 3) }, { ...emptySnapshot(), fanout: row(15, 30, 2) })
  assert.deepEqual(
    fanoutColumns.map((column) => [...fanout[column]]),
    [[1], [4], [10], [11], [15], [50], [5]],
  )
  assert.equal(mergeSnapshots(emptySnapshot(), emptySnapshot()).fanout, NO_FANOUT)
})

test('lists stay bounded, and what is cut off does not depend on the order', () => {
  const endings = Object.fromEntries(Array.from({ length: 100 }, (_, code) => [`${3_000 + code}`, 1]))
  const many = mergeSnapshots({ ...emptySnapshot(), endings }, { ...emptySnapshot(), endings: { 1006: 5 } })
  assert.equal(Object.keys(many.endings).length, MAX_ENDINGS + 1)
  assert.deepEqual([many.endings['1006'], many.endings.other], [5, 100 - (MAX_ENDINGS - 1)])

  const missing = (client: number) =>
    Array.from({ length: MAX_MISSING_LISTED }, (_, sequence) => ({ client, stream: 0, sequence, why: 'lost' as const }))
  const listed = mergeSnapshots({ ...emptySnapshot(), missing: missing(9) }, { ...emptySnapshot(), missing: missing(4) }).missing
  assert.deepEqual([listed.length, listed.at(-1)!.client], [MAX_MISSING_LISTED, 4])
})
