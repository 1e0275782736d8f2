/**
 * What clients are owed of one stream: confirmed probes, and those of any other fate that at least one client heard (a lost confirm, a
 * nack or a return does not unsay a broadcast). Made from the publisher's log at one instant; it knows no clients.
 */
import { ProbeState, type PublisherLog, type StreamLog } from './publisher-log.ts'

/** Published probes without a confirm that somebody heard, by stream; the union over all threads and replicas decides what is owed. */
export type HeardProbes = readonly { readonly stream: number; readonly sequences: readonly number[] }[]

/** The union of what several threads or replicas heard. */
export function mergeHeard(...parts: readonly HeardProbes[]): HeardProbes {
  const union = new Map<number, Set<number>>()
  for (const { stream, sequences } of parts.flat()) {
    const known = union.get(stream) ?? new Set()
    for (const sequence of sequences) known.add(sequence)
    union.set(stream, known)
  }
  return [...union]
    .map(([stream, sequences]) => ({ stream, sequences: [...sequences].sort((a, b) => a - b) }))
    .sort((a, b) => a.stream - b.stream)
}

/** Whether a probe in this state is owed; `isHeard`: by at least one client. */
export const isOwed = (state: number, isHeard: boolean): boolean =>
  state === ProbeState.confirmed || (isHeard && state !== ProbeState.absent)

/** Sequences that count only when somebody heard them. */
export function* undecidedSequences(log: StreamLog): Generator<number> {
  for (let sequence = 0; sequence < log.count; sequence++) {
    const state = log.states[sequence]
    if (state !== ProbeState.absent && state !== ProbeState.confirmed) yield sequence
  }
}

/** The owed probes of every stream of a log, by stream index. */
export function owedProbes(log: PublisherLog, heard: HeardProbes): Map<number, OwedProbes> {
  const heardOf = new Map(heard.map(({ stream, sequences }) => [stream, new Set(sequences)]))
  return new Map(log.streams.map((stream) => [stream.stream, new OwedProbes(stream, heardOf.get(stream.stream) ?? new Set())]))
}

/**
 * The owed probes of one stream, a copy: the publisher may go on writing. Probes are sent in the order of their sequences, except those
 * sent again; both are counted exactly, the first without looking at every probe.
 */
export class OwedProbes {
  /** One above the highest published sequence. */
  readonly end: number
  /** By sequence: sent time of owed probes, NaN for all others. Rounded as tokens hold it, since it is compared with ready times as they are. */
  readonly #sentUs: Float64Array
  /** By sequence: owed probes below it. */
  readonly #owedBelow: Float64Array
  /** By sequence: the latest sent time of owed probes up to it. */
  readonly #latestUs: Float64Array
  readonly #isInOrder: boolean
  /** Sent times ascending. */
  readonly #sortedUs: Float64Array

  constructor(log: StreamLog, heard: ReadonlySet<number>) {
    this.end = publishedEnd(log)
    this.#sentUs = new Float64Array(this.end)
    this.#owedBelow = new Float64Array(this.end + 1)
    this.#latestUs = new Float64Array(this.end)
    const sorted = new Float64Array(this.end)
    let owed = 0
    let latestUs = Number.NEGATIVE_INFINITY
    let isInOrder = true
    for (let sequence = 0; sequence < this.end; sequence++) {
      const isThisOwed = isOwed(log.states[sequence]!, heard.has(sequence))
      const sentUs = isThisOwed ? Math.round(log.sentUs[sequence]!) : Number.NaN
      this.#sentUs[sequence] = sentUs
      if (isThisOwed) {
        if (sentUs < latestUs) isInOrder = false
        else latestUs = sentUs
        sorted[owed++] = sentUs
      }
      this.#owedBelow[sequence + 1] = owed
      this.#latestUs[sequence] = latestUs
    }
    this.#isInOrder = isInOrder
    this.#sortedUs = isInOrder ? sorted.subarray(0, owed) : sorted.subarray(0, owed).sort()
  }

  get total(): number {
    return this.#sortedUs.length
  }

  /** How many were sent at `us` or later: what a client that became ready then is owed. */
  countSince(us: number): number {
    // Nearly every client is ready before the first probe is sent.
    if (this.total > 0 && us <= this.#sortedUs[0]!) return this.total
    return this.total - firstAtLeast(this.#sortedUs, us)
  }

  /** Whether a sequence is owed and was sent in `[sinceUs, beforeUs)`. */
  isOwedBetween(sequence: number, sinceUs: number, beforeUs: number): boolean {
    const sentUs = sequence < this.end ? this.#sentUs[sequence]! : Number.NaN
    return sentUs >= sinceUs && sentUs < beforeUs
  }

  /** No probe below this sequence was sent at `us` or later. */
  firstSentSince(us: number): number {
    return firstAtLeast(this.#latestUs, us)
  }

  /** How many of the sequences `[from, to)` are owed and were sent in `[sinceUs, beforeUs)`. */
  countSent(from: number, to: number, sinceUs: number, beforeUs: number): number {
    const start = Math.max(from, this.firstSentSince(sinceUs))
    const limit = Math.min(to, this.end)
    if (this.#isInOrder) {
      const stop = Math.min(limit, this.firstSentSince(beforeUs))
      return stop > start ? this.#owedBelow[stop]! - this.#owedBelow[start]! : 0
    }
    let count = 0
    for (let sequence = start; sequence < limit; sequence++) if (this.isOwedBetween(sequence, sinceUs, beforeUs)) count++
    return count
  }
}

function publishedEnd(log: StreamLog): number {
  let end = log.count
  while (end > 0 && log.states[end - 1] === ProbeState.absent) end--
  return end
}

/** The first index of an ascending array whose value is at least `value`. */
function firstAtLeast(ascending: Float64Array, value: number): number {
  let low = 0
  let high = ascending.length
  while (low < high) {
    const middle = (low + high) >>> 1
    if (ascending[middle]! < value) low = middle + 1
    else high = middle
  }
  return low
}
