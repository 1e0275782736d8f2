/**
 * A snapshot as it travels from a replica to the coordinator: the same fields, checked one by one on both sides, columns packed. What
 * comes out is what went in; only plain arrays become typed ones. It merges nothing.
 */
import { z } from 'zod'
import { type CountedCode, errorTable } from '../../errors.ts'
import { emptyHistogram, type HistogramData } from '../../measure/histogram.ts'
import type { Snapshot } from '../../measure/snapshot.ts'
import { MAX_MISSING_LISTED, WORST_CLIENTS } from '../../measure/snapshot-merge.ts'
import { float64Column, uint32Column } from './columns.ts'
import { absentAsNull, count, name, number } from './scalars.ts'

/** Rows of one snapshot on the wire; a larger one is sent in pieces (split-snapshot.ts). */
export const MAX_FANOUT_ROWS = 65_536
export const MAX_READY_CLIENTS = 65_536
export const MAX_TIMELINE_SECONDS = 512
/** More than the buckets of an HDR histogram of this layout. */
const MAX_BUCKETS = 65_536
const MAX_THREADS = 1_024
const MAX_TARGETS = 4_096
const MAX_NAMES = 10_000
/** STREAMS of one replica. */
const MAX_STREAMS = 10_000

const countedCodes = (Object.keys(errorTable) as CountedCode[]).filter((code) => errorTable[code].outcome === 'counted')
const countedCode = z.enum(countedCodes as [CountedCode, ...CountedCode[]])

/** Columns of one table are equally long. */
const isTable = (columns: Readonly<Record<string, ArrayLike<number>>>): boolean =>
  new Set(Object.values(columns).map(({ length }) => length)).size <= 1

const sparseCounts = z.strictObject({ index: uint32Column(MAX_BUCKETS), count: float64Column(MAX_BUCKETS) }).refine(isTable)
const packedHistogram = z.strictObject({
  count: number,
  min: absentAsNull,
  max: absentAsNull,
  mean: absentAsNull,
  m2: number,
  positive: sparseCounts,
  negative: sparseCounts,
})

/** Most histograms of a second are empty; those travel as `null`. */
const histogram = z.codec(packedHistogram.nullable(), z.custom<HistogramData>(), {
  decode: (data) => data ?? emptyHistogram(),
  encode: (data) => (data.count === 0 ? null : data),
})

const deliveryCounts = z.strictObject({
  expected: number,
  delivered: number,
  missed: number,
  lost: number,
  unaccounted: number,
  duplicated: number,
  redelivered: number,
  outOfOrder: number,
  early: number,
  late: number,
  unexpected: number,
  foreign: number,
  negativeLatency: number,
})

const clientCounts = z.strictObject({
  wanted: number,
  opened: number,
  ready: number,
  failed: number,
  unopened: number,
  disconnected: number,
  connected: number,
  reconnected: number,
})

const fanoutColumn = float64Column(MAX_FANOUT_ROWS)
const fanoutRows = z
  .strictObject({
    stream: fanoutColumn,
    sequence: fanoutColumn,
    intendedUs: fanoutColumn,
    sentUs: fanoutColumn,
    firstUs: fanoutColumn,
    lastUs: fanoutColumn,
    count: fanoutColumn,
  })
  .refine(isTable)

const timelineSecond = z.strictObject({
  second: count,
  delivered: number,
  opened: number,
  ready: number,
  connected: number,
  disconnected: number,
  latencyUs: histogram,
})

const threadHealth = z.strictObject({
  replica: count,
  thread: z.int(),
  role: z.enum(['crowd', 'sentinels', 'publisher', 'main']),
  busyUs: number,
  spanUs: number,
  loadedUs: number,
  saturatedUs: number,
  loopDelayUs: histogram,
  passBusyUs: histogram,
  reads: number,
  frames: number,
  bytes: number,
})

const targetCounts = z.strictObject({
  target: count,
  opened: number,
  ready: number,
  failed: number,
  disconnected: number,
  delivered: number,
  latencyUs: histogram,
})

const streamCounts = z.strictObject({ stream: count, clients: number, expected: number, delivered: number, missed: number, lost: number })

const clientRow = z.strictObject({
  client: count,
  replica: count,
  target: count,
  localAddress: name,
  localPort: count,
  expected: number,
  delivered: number,
  missed: number,
  lost: number,
  duplicated: number,
  outOfOrder: number,
  early: number,
  late: number,
  unexpected: number,
  lastSequence: z.int(),
  endCode: countedCode.exactOptional(),
  closeCode: count.exactOptional(),
  endedAtUs: number.exactOptional(),
  passBusyUs: number.exactOptional(),
})

const missingDelivery = z.strictObject({ client: count, stream: count, sequence: count, why: z.enum(['missed', 'lost']) })

const readyClients = z.codec(
  z.strictObject({ client: uint32Column(MAX_READY_CLIENTS), readyUs: float64Column(MAX_READY_CLIENTS) }).refine(isTable),
  z.custom<Snapshot['readyClients']>(),
  { decode: ({ client, readyUs }) => ({ client: Array.from(client), readyUs: Array.from(readyUs) }), encode: (ready) => ready },
)

const countsByName = z.record(name, number).refine((counts) => Object.keys(counts).length <= MAX_NAMES)

export const snapshotCodec = z.strictObject({
  fromUs: number,
  toUs: number,
  clients: clientCounts,
  errorsByCode: z.partialRecord(countedCode, number),
  errorTexts: z.partialRecord(countedCode, name),
  endings: countsByName,
  portRetries: number,
  firstDialUs: absentAsNull,
  lastReadyUs: absentAsNull,
  connectLatencyUs: histogram,
  readyLatencyUs: histogram,
  measured: deliveryCounts,
  warmup: deliveryCounts,
  canary: deliveryCounts,
  firstDeliveryUs: absentAsNull,
  lastDeliveryUs: absentAsNull,
  longestSilenceUs: number,
  highestSequence: z.record(z.string().regex(/^\d+$/), z.int()),
  otherFrames: countsByName,
  latencyUs: histogram,
  serviceLatencyUs: histogram,
  sentinelLatencyUs: histogram,
  resentDuplicates: number,
  resentOutOfOrder: number,
  fanout: fanoutRows,
  fanoutCapped: number,
  timeline: z.array(timelineSecond).max(MAX_TIMELINE_SECONDS),
  threads: z.array(threadHealth).max(MAX_THREADS),
  targets: z.array(targetCounts).max(MAX_TARGETS),
  streams: z.array(streamCounts).max(MAX_STREAMS),
  worstClients: z.array(clientRow).max(WORST_CLIENTS),
  missing: z.array(missingDelivery).max(MAX_MISSING_LISTED),
  unbalancedRows: number,
  heardNothing: number,
  readyClients,
  ledgerBytes: number,
  isLedgerOverflowed: z.boolean(),
  clockBoundUs: number,
})

/** Fails to compile when a snapshot has a field that does not travel, or the other way round. */
export const wireSnapshot: z.ZodType<Snapshot, z.input<typeof snapshotCodec>> = snapshotCodec
