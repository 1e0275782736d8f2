/** Arbitrary snapshots for property tests: small enough to shrink well, every field of its own. */
import fc from 'fast-check'
import { fanoutColumns } from '../../src/measure/fanout-merge.ts'
import { Histogram, type HistogramData } from '../../src/measure/histogram.ts'
import type { ClientRow, DeliveryCounts, FanoutRows, Snapshot } from '../../src/measure/snapshot.ts'
import { byBadness, byPlace, emptyClientCounts, emptyDeliveryCounts, WORST_CLIENTS } from '../../src/measure/snapshot-merge.ts'

const smallCounts = <T extends object>(zero: T): fc.Arbitrary<T> =>
  fc.record(Object.fromEntries(Object.keys(zero).map((key) => [key, fc.integer({ min: -5, max: 1_000 })]))) as unknown as fc.Arbitrary<T>

export const histograms: fc.Arbitrary<HistogramData> = fc
  .array(fc.integer({ min: -3_000, max: 5_000_000 }), { maxLength: 6 })
  .map((values) => {
    const histogram = new Histogram()
    for (const us of values) histogram.record(us)
    return histogram.data()
  })

const maybeTime = fc.option(fc.integer({ min: 1, max: 1e6 }), { nil: undefined })

/** A list with one entry per key, in order, as every snapshot has it. */
const keyed = <T>(entry: fc.Arbitrary<T>, key: (entry: T) => unknown, compare: (a: T, b: T) => number): fc.Arbitrary<T[]> =>
  fc.uniqueArray(entry, { maxLength: 5, selector: key }).map((entries) => entries.sort(compare))

export const fanouts: fc.Arbitrary<FanoutRows> = keyed(
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

/** Any snapshot, its lists in the order and within the bounds that every snapshot keeps. */
export const snapshots: fc.Arbitrary<Snapshot> = fc.record({
  fromUs: fc.integer({ min: 1, max: 100 }),
  toUs: fc.integer({ min: 100, max: 200 }),
  clients: smallCounts(emptyClientCounts()),
  errorsByCode: codes,
  errorTexts: fc.dictionary(fc.constantFrom('dns', 'refused', 'tls'), fc.constantFrom('no such host', 'nobody listens', 'expired')),
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
  streams: keyed(
    fc.record({ stream: fc.nat(3), clients: fc.nat(9), expected: fc.nat(99), delivered: fc.nat(99), missed: fc.nat(9), lost: fc.nat(9) }),
    ({ stream }) => stream,
    (a, b) => a.stream - b.stream,
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
