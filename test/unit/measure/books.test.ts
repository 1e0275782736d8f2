import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Books, type BooksOptions } from '../../../src/measure/books.ts'
import { ProbeState, type PublisherLog } from '../../../src/measure/publisher-log.ts'
import { ThreadWatch } from '../../../src/measure/thread-watch.ts'
import { CANARY_STREAM, WARMUP_STREAM } from '../../../src/probe/probe.ts'
import { ManualClock } from '../../doubles/manual-clock.ts'

const START_US = 1_760_000_000_000_000

function newBooks(options: Partial<BooksOptions> = {}): Books {
  const clock = new ManualClock(START_US)
  return new Books({
    clock,
    replica: 0,
    thread: 3,
    role: 'crowd',
    clients: [10, 11],
    targetOf: [0, 1],
    streamsOf: () => [7],
    sequenceLimit: 1_000,
    ledgerMemoryMb: 1,
    expectsResends: false,
    watch: new ThreadWatch({ clock, replica: 0, thread: 3, role: 'crowd' }),
    ...options,
  })
}

function readyBooks(options: Partial<BooksOptions> = {}): Books {
  const books = newBooks(options)
  for (const slot of [0, 1]) {
    books.dialed(slot, START_US)
    books.opened(slot, START_US + 100, '127.0.0.2', 40_001 + slot)
    books.ready(slot, START_US + 250)
  }
  return books
}

/** A probe of stream 7, sent a millisecond after its slot, `sequence` milliseconds into the second second. */
const stamp = (sequence: number, change: { stream?: number; sentUs?: number } = {}) => ({
  stream: 7,
  sequence,
  intendedUs: START_US + 1_000_000 + sequence * 1_000,
  sentUs: START_US + 1_001_000 + sequence * 1_000,
  ...change,
})

const confirmedLog = (count: number): PublisherLog => ({
  streams: [
    {
      stream: 7,
      count,
      sentUs: Float64Array.from({ length: count }, (_, sequence) => stamp(sequence).sentUs),
      states: new Uint8Array(count).fill(ProbeState.confirmed),
    },
  ],
})

test('latency counts from the intended time, service latency from the sent time', () => {
  const books = readyBooks()
  books.delivery(0, stamp(0), START_US + 1_005_000, false)
  books.delivery(1, stamp(0), START_US + 1_009_000, false)
  const { latencyUs, serviceLatencyUs, sentinelLatencyUs, firstDeliveryUs, lastDeliveryUs, longestSilenceUs } = books.takeSnapshot()
  assert.deepEqual([latencyUs.min, latencyUs.max, latencyUs.mean], [5_000, 9_000, 7_000])
  assert.deepEqual([serviceLatencyUs.min, serviceLatencyUs.max], [4_000, 8_000])
  assert.deepEqual([firstDeliveryUs, lastDeliveryUs, longestSilenceUs], [START_US + 1_005_000, START_US + 1_009_000, 4_000])
  assert.equal(sentinelLatencyUs.count, 0)
})

test('sentinels stand in the totals and once more beside them', () => {
  const books = readyBooks({ role: 'sentinels' })
  books.delivery(0, stamp(0), START_US + 1_005_000, false)
  const { latencyUs, sentinelLatencyUs } = books.takeSnapshot()
  assert.equal(latencyUs.count, 1)
  assert.deepEqual(sentinelLatencyUs, latencyUs)
})

test('a delivery before its intended time is kept as negative, and counted', () => {
  const books = readyBooks()
  books.delivery(0, stamp(0), START_US + 999_000, false)
  const { latencyUs, measured } = books.takeSnapshot()
  assert.deepEqual([latencyUs.min, measured.negativeLatency, measured.delivered], [-1_000, 1, 1])
})

test('each second has its own counters, and each target too', () => {
  const books = readyBooks()
  books.delivery(0, stamp(0), START_US + 1_900_000, false)
  books.delivery(1, stamp(0), START_US + 2_000_000, false)
  books.delivery(1, stamp(1), START_US + 4_000_001, false)
  const { timeline, targets, latencyUs } = books.takeSnapshot()
  const second = START_US / 1_000_000
  assert.deepEqual(
    timeline.map(({ second, delivered, opened, ready }) => [second, delivered, opened, ready]),
    [
      [second, 0, 2, 2],
      [second + 1, 1, 0, 0],
      [second + 2, 1, 0, 0],
      [second + 4, 1, 0, 0],
    ],
  )
  assert.deepEqual(
    targets.map(({ target, delivered, ready, latencyUs }) => [target, delivered, ready, latencyUs.max]),
    [
      [0, 1, 1, 900_000],
      [1, 2, 1, 2_999_001],
    ],
  )
  assert.equal(latencyUs.count, 3)
  // A second snapshot inside a second tells the rest of it.
  books.delivery(0, stamp(1), START_US + 4_000_002, false)
  assert.deepEqual(
    books.takeSnapshot().timeline.map(({ second, delivered }) => [second, delivered]),
    [[second + 4, 1]],
  )
})

test('canary and warm-up probes have books of their own and stand in no figure', () => {
  const books = readyBooks()
  for (const slot of [0, 1, 1]) books.delivery(slot, stamp(0, { stream: CANARY_STREAM }), START_US + 1_100_000, false)
  books.delivery(0, stamp(4, { stream: WARMUP_STREAM }), START_US + 1_100_000, false)
  books.delivery(0, stamp(2, { stream: WARMUP_STREAM }), START_US + 1_100_000, false)
  books.delivery(0, stamp(2, { stream: WARMUP_STREAM }), START_US + 1_100_000, true)
  books.delivery(0, stamp(1, { stream: WARMUP_STREAM, sentUs: START_US }), START_US + 1_100_000, true)
  const { canary, warmup, measured, latencyUs, fanout, timeline } = books.takeSnapshot()
  assert.deepEqual([canary.delivered, canary.duplicated], [2, 1])
  assert.deepEqual([warmup.delivered, warmup.outOfOrder, warmup.redelivered, warmup.early], [2, 1, 1, 1])
  assert.deepEqual([measured.delivered, latencyUs.count, fanout.count.length, timeline.length], [0, 0, 0, 1])
})

test('a stream the client does not have and a sequence nobody planned are unexpected', () => {
  const books = readyBooks()
  books.delivery(0, stamp(0, { stream: 8 }), START_US + 1_100_000, false)
  books.delivery(0, stamp(1_000), START_US + 1_100_000, false)
  books.delivery(0, stamp(9_999_999_999), START_US + 1_100_000, false)
  books.foreign()
  books.otherFrame('pong')
  books.otherFrame('pong')
  const { measured, otherFrames } = books.takeSnapshot()
  assert.deepEqual([measured.unexpected, measured.foreign, measured.delivered], [3, 1, 0])
  assert.deepEqual(otherFrames, { pong: 2 })
})

test('without a planned count any sequence a ledger can hold is a delivery', () => {
  const books = readyBooks({ sequenceLimit: undefined })
  books.delivery(0, stamp(123_456), START_US + 1_100_000, false)
  books.delivery(0, stamp(2 ** 31), START_US + 1_100_000, false)
  const { measured, highestSequence } = books.takeSnapshot()
  assert.deepEqual([measured.delivered, measured.unexpected, highestSequence[7]], [1, 1, 123_456])
})

test('further copies and order breaks of a probe that was sent again are booked apart', () => {
  const books = readyBooks({ expectsResends: true })
  const later = { sentUs: START_US + 1_500_000 }
  books.delivery(0, stamp(0), START_US + 1_600_000, false)
  books.delivery(0, stamp(1), START_US + 1_600_001, false)
  books.delivery(0, stamp(0), START_US + 1_600_002, false)
  books.delivery(0, stamp(0, later), START_US + 1_600_003, false)
  books.delivery(0, stamp(0), START_US + 1_600_004, false)
  books.delivery(0, stamp(4), START_US + 1_600_005, false)
  books.delivery(0, stamp(2, later), START_US + 1_600_006, false)
  books.delivery(0, stamp(3), START_US + 1_600_007, false)
  const { measured, resentDuplicates, resentOutOfOrder } = books.takeSnapshot()
  // The first further copy was a plain one: nothing told yet that the probe was sent twice.
  assert.deepEqual([measured.duplicated, resentDuplicates], [1, 2])
  assert.deepEqual([measured.outOfOrder, resentOutOfOrder], [1, 1])
  assert.equal(measured.delivered, 5)
})

test('a probe without a confirm is owed to all when one client of any thread heard it', () => {
  const log = confirmedLog(2)
  log.streams[0]!.states[1] = ProbeState.unknown
  const heardHere = readyBooks()
  const elsewhere = readyBooks()
  for (const books of [heardHere, elsewhere]) for (const slot of [0, 1]) books.delivery(slot, stamp(0), START_US + 2_000_000, false)
  heardHere.delivery(0, stamp(1), START_US + 2_000_000, false)
  const heard = heardHere.heard(log)
  assert.deepEqual(heard, [{ stream: 7, sequences: [1] }])
  assert.deepEqual(elsewhere.heard(log), [])
  for (const [books, lost] of [
    [heardHere, 1],
    [elsewhere, 2],
  ] as const) {
    books.settle(log, START_US + 9_000_000, heard)
    const { measured } = books.takeSnapshot()
    assert.deepEqual([measured.expected, measured.lost], [4, lost])
  }
})

test('the life of clients is counted once each, and losses with code, close code and status', () => {
  const books = newBooks({ clients: [10, 11, 12, 13], targetOf: [0, 0, 0, 0] })
  for (const slot of [0, 1, 2, 3]) books.dialed(slot, START_US + slot)
  books.opened(0, START_US + 100, '127.0.0.1', 1)
  books.opened(1, START_US + 300, '127.0.0.1', 2)
  books.ready(0, START_US + 500)
  books.ended(1, START_US + 600, { code: 'ready-timeout', wasOpen: true })
  books.ended(2, START_US + 700, { code: 'http-status', httpStatus: 503, wasOpen: false })
  books.ended(3, START_US + 700, { code: 'refused', wasOpen: false }, true)
  const first = books.takeSnapshot()
  assert.deepEqual(first.clients, { wanted: 4, opened: 2, ready: 1, failed: 2, unopened: 1, disconnected: 1, connected: 1, reconnected: 0 })
  assert.deepEqual(first.errorsByCode, { 'ready-timeout': 1, 'http-status': 1, refused: 1 })
  assert.deepEqual(first.endings, { 'http 503': 1 })
  assert.deepEqual([first.connectLatencyUs.min, first.connectLatencyUs.max, first.readyLatencyUs.max], [100, 299, 400])
  assert.deepEqual(
    [first.firstDialUs, first.lastReadyUs, first.readyClients],
    [START_US, START_US + 500, { client: [10], readyUs: [START_US + 500] }],
  )
  assert.deepEqual(
    first.targets.map(({ opened, ready, failed, disconnected }) => [opened, ready, failed, disconnected]),
    [[2, 1, 2, 1]],
  )

  books.ended(0, START_US + 800, { code: 'closed-by-target', closeCode: 1001, wasOpen: true }, true)
  books.dialed(0, START_US + 900)
  books.opened(0, START_US + 950, '127.0.0.1', 9)
  books.ready(0, START_US + 990)
  books.ended(0, START_US + 1_500, { code: undefined, closeCode: 1000, wasOpen: true })
  const second = books.takeSnapshot()
  assert.deepEqual(second.clients, {
    wanted: 0,
    opened: 0,
    ready: 0,
    failed: 0,
    unopened: 0,
    disconnected: 1,
    connected: -1,
    reconnected: 1,
  })
  assert.deepEqual(second.endings, { 1001: 1 })
})

test('a client that was cut is named with its last sequence, its end and its address', () => {
  const books = readyBooks()
  for (const sequence of [0, 1, 2]) books.delivery(0, stamp(sequence), START_US + 1_100_000, false)
  for (let sequence = 0; sequence < 10; sequence++) books.delivery(1, stamp(sequence), START_US + 1_100_000, false)
  books.ended(0, START_US + 1_200_000, { code: 'cut-by-target', closeCode: 1006, wasOpen: true })
  books.expect(confirmedLog(10))
  assert.deepEqual([books.takeSnapshot().measured.missed], [7])
  books.settle(confirmedLog(10), START_US + 3_000_000)
  assert.equal(books.takeSnapshot().measured.missed, 0)
  books.delivery(0, stamp(9), START_US + 3_100_000, false)
  books.close()
  const { worstClients } = books.takeSnapshot()
  assert.deepEqual(worstClients, [
    {
      client: 10,
      replica: 0,
      target: 0,
      localAddress: '127.0.0.2',
      localPort: 40_001,
      expected: 10,
      delivered: 3,
      missed: 7,
      lost: 0,
      duplicated: 0,
      outOfOrder: 0,
      early: 0,
      // It came while goodbyes were said.
      late: 1,
      unexpected: 0,
      lastSequence: 9,
      endCode: 'cut-by-target',
      closeCode: 1006,
      endedAtUs: START_US + 1_200_000,
      // The loop has not come to an end of the pass in which the first delivery was read.
      passBusyUs: 100_000,
    },
  ])
})

test('settling twice and expecting afterwards change nothing', () => {
  const books = readyBooks()
  books.settle(confirmedLog(2), START_US + 3_000_000)
  const { measured } = books.takeSnapshot()
  assert.deepEqual([measured.expected, measured.lost], [4, 4])
  books.delivery(0, stamp(0), START_US + 3_100_000, false)
  books.delivery(0, stamp(0), START_US + 3_100_000, false)
  books.settle(confirmedLog(9), START_US + 4_000_000)
  books.expect(confirmedLog(9))
  const after = books.takeSnapshot()
  assert.deepEqual([after.measured.expected, after.measured.lost, after.measured.late, after.measured.duplicated], [0, 0, 1, 1])
  assert.equal(after.latencyUs.count, 0)
})

test('holes past LEDGER_MEMORY_MB are told, never guessed', () => {
  const books = readyBooks({ sequenceLimit: undefined })
  books.delivery(0, stamp(0), START_US + 1_100_000, false)
  assert.equal(books.takeSnapshot().isLedgerOverflowed, false)
  books.delivery(0, stamp(2_000_000_000), START_US + 1_100_000, false)
  const { isLedgerOverflowed, ledgerBytes } = books.takeSnapshot()
  assert.equal(isLedgerOverflowed, true)
  assert.ok(ledgerBytes <= 1_048_576)
})
