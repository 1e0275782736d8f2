/**
 * Adds snapshots: over time, over threads, over replicas. Associative and commutative with `emptySnapshot()` as its zero, so a
 * total is a fold in any order. Bounded lists keep what sorts first, which is why a bound never depends on the order of merging.
 */
import { mergeFanout, NO_FANOUT } from './fanout-merge.ts'
import { emptyHistogram } from './histogram.ts'
import { mergeHistograms } from './histogram-merge.ts'
import type {
  ClientCounts,
  ClientRow,
  DeliveryCounts,
  MissingDelivery,
  Snapshot,
  StreamCounts,
  TargetCounts,
  ThreadHealth,
  TimelineSecond,
} from './snapshot.ts'

/** Clients in the worst list. */
export const WORST_CLIENTS = 20
/** Missing deliveries listed one by one; the counts go on. */
export const MAX_MISSING_LISTED = 10_000
/** Different close codes and statuses told apart; the rest is `other`. */
export const MAX_ENDINGS = 64

export const emptyDeliveryCounts = (): DeliveryCounts => ({
  expected: 0,
  delivered: 0,
  missed: 0,
  lost: 0,
  unaccounted: 0,
  duplicated: 0,
  redelivered: 0,
  outOfOrder: 0,
  early: 0,
  late: 0,
  unexpected: 0,
  foreign: 0,
  negativeLatency: 0,
})

export const emptyClientCounts = (): ClientCounts => ({
  wanted: 0,
  opened: 0,
  ready: 0,
  failed: 0,
  unopened: 0,
  disconnected: 0,
  connected: 0,
  reconnected: 0,
})

/** Nothing happened, in no time: a span from 0 to 0 covers nothing. */
export const emptySnapshot = (): Snapshot => ({
  fromUs: 0,
  toUs: 0,
  clients: emptyClientCounts(),
  errorsByCode: {},
  errorTexts: {},
  endings: {},
  portRetries: 0,
  firstDialUs: undefined,
  lastReadyUs: undefined,
  connectLatencyUs: emptyHistogram(),
  readyLatencyUs: emptyHistogram(),
  measured: emptyDeliveryCounts(),
  warmup: emptyDeliveryCounts(),
  canary: emptyDeliveryCounts(),
  firstDeliveryUs: undefined,
  lastDeliveryUs: undefined,
  longestSilenceUs: 0,
  highestSequence: {},
  otherFrames: {},
  latencyUs: emptyHistogram(),
  serviceLatencyUs: emptyHistogram(),
  sentinelLatencyUs: emptyHistogram(),
  resentDuplicates: 0,
  resentOutOfOrder: 0,
  fanout: NO_FANOUT,
  fanoutCapped: 0,
  timeline: [],
  threads: [],
  targets: [],
  streams: [],
  worstClients: [],
  missing: [],
  unbalancedRows: 0,
  heardNothing: 0,
  readyClients: { client: [], readyUs: [] },
  ledgerBytes: 0,
  isLedgerOverflowed: false,
  clockBoundUs: 0,
})

export function mergeSnapshots(a: Snapshot, b: Snapshot): Snapshot {
  return {
    ...mergeSpans(a, b),
    clients: addCounts(a.clients, b.clients),
    errorsByCode: addByKey(a.errorsByCode, b.errorsByCode),
    errorTexts: mergeByKey(a.errorTexts, b.errorTexts, firstByAlphabet),
    endings: boundedEndings(addByKey(a.endings, b.endings)),
    portRetries: a.portRetries + b.portRetries,
    firstDialUs: earliest(a.firstDialUs, b.firstDialUs),
    lastReadyUs: latest(a.lastReadyUs, b.lastReadyUs),
    connectLatencyUs: mergeHistograms(a.connectLatencyUs, b.connectLatencyUs),
    readyLatencyUs: mergeHistograms(a.readyLatencyUs, b.readyLatencyUs),
    measured: addCounts(a.measured, b.measured),
    warmup: addCounts(a.warmup, b.warmup),
    canary: addCounts(a.canary, b.canary),
    firstDeliveryUs: earliest(a.firstDeliveryUs, b.firstDeliveryUs),
    lastDeliveryUs: latest(a.lastDeliveryUs, b.lastDeliveryUs),
    longestSilenceUs: Math.max(a.longestSilenceUs, b.longestSilenceUs),
    highestSequence: mergeByKey(a.highestSequence, b.highestSequence, Math.max),
    otherFrames: addByKey(a.otherFrames, b.otherFrames),
    latencyUs: mergeHistograms(a.latencyUs, b.latencyUs),
    serviceLatencyUs: mergeHistograms(a.serviceLatencyUs, b.serviceLatencyUs),
    sentinelLatencyUs: mergeHistograms(a.sentinelLatencyUs, b.sentinelLatencyUs),
    resentDuplicates: a.resentDuplicates + b.resentDuplicates,
    resentOutOfOrder: a.resentOutOfOrder + b.resentOutOfOrder,
    fanout: mergeFanout(a.fanout, b.fanout),
    fanoutCapped: a.fanoutCapped + b.fanoutCapped,
    timeline: mergeSorted(a.timeline, b.timeline, bySecond, addSeconds),
    threads: mergeSorted(a.threads, b.threads, byThread, addThreads),
    targets: mergeSorted(a.targets, b.targets, byTarget, addTargets),
    streams: mergeSorted(a.streams, b.streams, byStream, addStreams),
    worstClients: mergeSorted(a.worstClients, b.worstClients, byBadness).slice(0, WORST_CLIENTS),
    missing: mergeSorted(a.missing, b.missing, byPlace).slice(0, MAX_MISSING_LISTED),
    unbalancedRows: a.unbalancedRows + b.unbalancedRows,
    heardNothing: a.heardNothing + b.heardNothing,
    readyClients: mergeReadyClients(a.readyClients, b.readyClients),
    ledgerBytes: a.ledgerBytes + b.ledgerBytes,
    isLedgerOverflowed: a.isLedgerOverflowed || b.isLedgerOverflowed,
    clockBoundUs: Math.max(a.clockBoundUs, b.clockBoundUs),
  }
}

/** The order of the worst list: most missing first, then most of anything else, then by client. */
export function byBadness(a: ClientRow, b: ClientRow): number {
  return missingOf(b) - missingOf(a) || oddOf(b) - oddOf(a) || a.client - b.client || b.lost - a.lost
}

const missingOf = (row: ClientRow): number => row.missed + row.lost
const oddOf = (row: ClientRow): number => row.duplicated + row.outOfOrder + row.late + row.unexpected

function mergeSpans(a: Snapshot, b: Snapshot): { fromUs: number; toUs: number } {
  if (a.toUs === 0) return { fromUs: b.fromUs, toUs: b.toUs }
  if (b.toUs === 0) return { fromUs: a.fromUs, toUs: a.toUs }
  return { fromUs: Math.min(a.fromUs, b.fromUs), toUs: Math.max(a.toUs, b.toUs) }
}

const earliest = (a: number | undefined, b: number | undefined): number | undefined =>
  a === undefined || b === undefined ? (a ?? b) : Math.min(a, b)

const latest = (a: number | undefined, b: number | undefined): number | undefined =>
  a === undefined || b === undefined ? (a ?? b) : Math.max(a, b)

/** Adds two records of the same closed set of counts. */
function addCounts<T extends Record<keyof T, number>>(a: T, b: T): T {
  const sum: T = { ...a }
  for (const key of Object.keys(b) as (keyof T)[]) sum[key] = (a[key] + b[key]) as T[keyof T]
  return sum
}

/** Joins two records key by key; a key of one side only keeps its value. */
function mergeByKey<K extends string | number, V>(
  a: Partial<Record<K, V>>,
  b: Partial<Record<K, V>>,
  join: (x: V, y: V) => V,
): Record<K, V> {
  const joined = { ...a } as Record<K, V>
  for (const key of Object.keys(b) as K[]) joined[key] = joined[key] === undefined ? b[key]! : join(joined[key], b[key]!)
  return joined
}

/** Of two sentences about the same thing one is enough, and always the same one. */
export const firstByAlphabet = (a: string, b: string): string => (a <= b ? a : b)

const addByKey = <K extends string>(a: Partial<Record<K, number>>, b: Partial<Record<K, number>>): Record<K, number> =>
  mergeByKey(a, b, (x, y) => x + y)

const OTHER_ENDING = 'other'

function boundedEndings(endings: Record<string, number>): Record<string, number> {
  const names = Object.keys(endings).filter((name) => name !== OTHER_ENDING)
  if (names.length <= MAX_ENDINGS) return endings
  const kept: Record<string, number> = {}
  let other = endings[OTHER_ENDING] ?? 0
  names.sort().forEach((name, place) => {
    if (place < MAX_ENDINGS) kept[name] = endings[name]!
    else other += endings[name]!
  })
  return { ...kept, [OTHER_ENDING]: other }
}

/** Merges two lists that are in the order of `compare`; entries that compare equal are joined, or both kept. */
function mergeSorted<T>(a: readonly T[], b: readonly T[], compare: (x: T, y: T) => number, join?: (x: T, y: T) => T): T[] {
  const merged: T[] = []
  let inA = 0
  let inB = 0
  while (inA < a.length && inB < b.length) {
    const order = compare(a[inA]!, b[inB]!)
    if (order === 0 && join !== undefined) merged.push(join(a[inA++]!, b[inB++]!))
    else merged.push(order <= 0 ? a[inA++]! : b[inB++]!)
  }
  // What is left of one of them; `push(...rest)` would overflow the stack on a long run.
  return merged.concat(a.slice(inA), b.slice(inB))
}

const bySecond = (a: TimelineSecond, b: TimelineSecond): number => a.second - b.second
const byThread = (a: ThreadHealth, b: ThreadHealth): number => a.replica - b.replica || a.thread - b.thread
const byStream = (a: StreamCounts, b: StreamCounts): number => a.stream - b.stream
const byTarget = (a: TargetCounts, b: TargetCounts): number => a.target - b.target
/** The order of the list of missing deliveries. */
export const byPlace = (a: MissingDelivery, b: MissingDelivery): number =>
  a.client - b.client || a.stream - b.stream || a.sequence - b.sequence

const addSeconds = (a: TimelineSecond, b: TimelineSecond): TimelineSecond => ({
  second: a.second,
  delivered: a.delivered + b.delivered,
  opened: a.opened + b.opened,
  ready: a.ready + b.ready,
  connected: a.connected + b.connected,
  disconnected: a.disconnected + b.disconnected,
  latencyUs: mergeHistograms(a.latencyUs, b.latencyUs),
})

/** One thread’s figures of two spans of time. */
export const addThreads = (a: ThreadHealth, b: ThreadHealth): ThreadHealth => ({
  replica: a.replica,
  thread: a.thread,
  role: a.role,
  busyUs: a.busyUs + b.busyUs,
  spanUs: a.spanUs + b.spanUs,
  loadedUs: a.loadedUs + b.loadedUs,
  saturatedUs: a.saturatedUs + b.saturatedUs,
  loopDelayUs: mergeHistograms(a.loopDelayUs, b.loopDelayUs),
  passBusyUs: mergeHistograms(a.passBusyUs, b.passBusyUs),
  reads: a.reads + b.reads,
  frames: a.frames + b.frames,
  bytes: a.bytes + b.bytes,
})

const addTargets = (a: TargetCounts, b: TargetCounts): TargetCounts => ({
  target: a.target,
  opened: a.opened + b.opened,
  ready: a.ready + b.ready,
  failed: a.failed + b.failed,
  disconnected: a.disconnected + b.disconnected,
  delivered: a.delivered + b.delivered,
  latencyUs: mergeHistograms(a.latencyUs, b.latencyUs),
})

/** Adds the books of the same stream. */
export const addStreams = (a: StreamCounts, b: StreamCounts): StreamCounts => ({
  stream: a.stream,
  clients: a.clients + b.clients,
  expected: a.expected + b.expected,
  delivered: a.delivered + b.delivered,
  missed: a.missed + b.missed,
  lost: a.lost + b.lost,
})

type ReadyClients = Snapshot['readyClients']

/** By client, ascending. A client becomes ready for the first time once, so there is nothing to join. */
function mergeReadyClients(a: ReadyClients, b: ReadyClients): ReadyClients {
  if (a.client.length === 0) return b
  if (b.client.length === 0) return a
  const client: number[] = []
  const readyUs: number[] = []
  let inA = 0
  let inB = 0
  while (inA < a.client.length || inB < b.client.length) {
    const isFromA = inB >= b.client.length || (inA < a.client.length && a.client[inA]! <= b.client[inB]!)
    client.push(isFromA ? a.client[inA]! : b.client[inB]!)
    readyUs.push(isFromA ? a.readyUs[inA++]! : b.readyUs[inB++]!)
  }
  return { client, readyUs }
}
