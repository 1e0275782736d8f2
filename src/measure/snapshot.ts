/**
 * The snapshot: plain immutable data with everything the receiving side knows about a span of time. Every receiver thread
 * hands over one a second, holding what happened *since the last one* (so gauges are signed changes). `mergeSnapshots` adds
 * any two (over time, threads or replicas) and is associative and commutative, so a total is a fold in any order.
 * Snapshots are the only thing that is merged or reported.
 */
import type { CountedCode } from '../errors.ts'
import type { HistogramData } from './histogram.ts'

/** The books of one kind of probe. Measured probes carry the figures; canary and warm-up probes have books of their own. */
export interface DeliveryCounts {
  /** From the publisher's log × ready intervals; 0 until the log is known (`Books.expect`). */
  expected: number
  /** First deliveries of probes sent since the client's ready, before the drain ended. */
  delivered: number
  missed: number
  lost: number
  unaccounted: number
  duplicated: number
  /** Further copies that the target marked as redelivered; not in `duplicated`. */
  redelivered: number
  outOfOrder: number
  early: number
  late: number
  unexpected: number
  foreign: number
  negativeLatency: number
}

export interface ClientCounts {
  /** The roster: all clients asked for. */
  wanted: number
  /** Clients whose socket opened at least once. */
  opened: number
  /** Clients that became ready at least once. */
  ready: number
  /** Clients that never became ready and will not be tried again. */
  failed: number
  /** Those of them that never opened either; wanted − opened − unopened dials have no outcome yet. */
  unopened: number
  /** Losses of an open connection that the client did not ask for. */
  disconnected: number
  /** Open and ready now. */
  connected: number
  reconnected: number
}

/** One second of the run; key: `second`. */
export interface TimelineSecond {
  /** Run clock, whole seconds since the epoch. */
  readonly second: number
  delivered: number
  opened: number
  ready: number
  /** Signed change of clients that are open and ready; what they close themselves at the end does not count. */
  connected: number
  disconnected: number
  latencyUs: HistogramData
}

/**
 * Per-probe fan-out rows, column by column; key: (stream, sequence), ascending. First and last are receive times on the run clock; a
 * row of one snapshot tells what happened in its span, so the rows of a probe add up over time as they do over threads.
 */
export interface FanoutRows {
  readonly stream: readonly number[] | Float64Array
  readonly sequence: readonly number[] | Float64Array
  readonly intendedUs: readonly number[] | Float64Array
  /** When the first heard copy was handed to the injector. */
  readonly sentUs: readonly number[] | Float64Array
  readonly firstUs: readonly number[] | Float64Array
  readonly lastUs: readonly number[] | Float64Array
  readonly count: readonly number[] | Float64Array
}

/** Numbers of the threads that hold no clients; receiver threads count from 0. */
export const MAIN_THREAD = -1
export const PUBLISHER_THREAD = -2

/** What one thread did; key: (replica, thread). Evidence for or against the tester. */
export interface ThreadHealth {
  readonly replica: number
  readonly thread: number
  readonly role: 'crowd' | 'sentinels' | 'publisher' | 'main'
  /** Time inside the event loop's callbacks and the span it is part of. */
  busyUs: number
  spanUs: number
  /** Of the span: spells between snapshots in which deliveries were read, and those of them in which the thread had no reserve. */
  loadedUs: number
  saturatedUs: number
  /** Delay of the event loop beyond what was asked of a timer. */
  loopDelayUs: HistogramData
  /** Per delivery: how long the loop pass in which it was read had been busy; an upper bound on the tester's own queueing. */
  passBusyUs: HistogramData
  reads: number
  frames: number
  bytes: number
}

/** Per target URL; key: `target` (index into WS_ADDR). */
export interface TargetCounts {
  readonly target: number
  opened: number
  ready: number
  failed: number
  disconnected: number
  delivered: number
  latencyUs: HistogramData
}

/** One client, for the worst lists and for comparing the ledger with a target's truth log. */
export interface ClientRow {
  readonly client: number
  readonly replica: number
  readonly target: number
  readonly localAddress: string
  readonly localPort: number
  readonly expected: number
  readonly delivered: number
  readonly missed: number
  readonly lost: number
  readonly duplicated: number
  readonly outOfOrder: number
  readonly early: number
  readonly late: number
  readonly unexpected: number
  /** Highest sequence heard, or −1. */
  readonly lastSequence: number
  /** Why its last connection ended, if it did before the run closed. */
  readonly endCode?: CountedCode
  readonly closeCode?: number
  readonly endedAtUs?: number
  /** How busy the tester's loop pass was when the connection ended. */
  readonly passBusyUs?: number
}

/** The books of one stream over all clients that have it; key: `stream`. Clients of a thread that died are not in it. */
export interface StreamCounts {
  readonly stream: number
  /** Clients that were ready. */
  clients: number
  expected: number
  delivered: number
  missed: number
  lost: number
}

/** One delivery that did not happen (`lost.ndjson`, truth comparisons). */
export interface MissingDelivery {
  readonly client: number
  readonly stream: number
  readonly sequence: number
  readonly why: 'missed' | 'lost'
}

export interface Snapshot {
  /** Span covered, run clock. */
  fromUs: number
  toUs: number
  clients: ClientCounts
  /** How clients and connections failed, by code. */
  errorsByCode: Partial<Record<CountedCode, number>>
  /** By code, what was said about one such end. Of several sentences the first by alphabet stays, so that any order of merging keeps the same. */
  errorTexts: Partial<Record<CountedCode, string>>
  /** WebSocket close codes and HTTP statuses, as text ("1006", "http 503"); at most 64 different ones, then "other". */
  endings: Record<string, number>
  /** Dials repeated because the local port was busy (EADDRINUSE, EADDRNOTAVAIL). */
  portRetries: number
  firstDialUs: number | undefined
  lastReadyUs: number | undefined
  connectLatencyUs: HistogramData
  readyLatencyUs: HistogramData
  measured: DeliveryCounts
  warmup: DeliveryCounts
  canary: DeliveryCounts
  /** First and last measured delivery on the run clock. */
  firstDeliveryUs: number | undefined
  lastDeliveryUs: number | undefined
  /** Longest time between two deliveries of this thread since the first. */
  longestSilenceUs: number
  /** INJECTOR=none: the highest measured sequence heard by stream index, −1 when none. */
  highestSequence: Record<number, number>
  /** Frames that held no probe, by kind (`FrameKind` of the protocol contract). */
  otherFrames: Record<string, number>
  latencyUs: HistogramData
  serviceLatencyUs: HistogramData
  sentinelLatencyUs: HistogramData
  /** Further copies and order breaks of probes that were re-sent, booked apart from `duplicated` and `outOfOrder`. */
  resentDuplicates: number
  resentOutOfOrder: number
  fanout: FanoutRows
  /** First deliveries left out of the fan-out rows, because the number of rows in one snapshot is capped. */
  fanoutCapped: number
  timeline: TimelineSecond[]
  threads: ThreadHealth[]
  targets: TargetCounts[]
  /** By stream ascending; filled by settling. */
  streams: StreamCounts[]
  /** The clients with the most missing deliveries, at most WORST_CLIENTS, worst first; told when the books are closed. */
  worstClients: ClientRow[]
  /** Bounded list of missing deliveries; filled by settling. */
  missing: MissingDelivery[]
  /** Rows (client, stream) whose books do not balance by themselves; filled by settling. More than 0 is a fault of ours. */
  unbalancedRows: number
  /** Clients that were owed measured probes and heard none at all; filled by settling. */
  heardNothing: number
  /** Per client that became ready: index and first ready time (run clock); lets the owed count of a dead thread be computed. */
  readyClients: { client: number[]; readyUs: number[] }
  ledgerBytes: number
  /** The ledger hit LEDGER_MEMORY_MB: the run is invalid. */
  isLedgerOverflowed: boolean
  /** The widest clock bound among the threads. */
  clockBoundUs: number
}
