/**
 * What the fan-out rows of a whole run say: when the first and the last client heard each probe, how far apart they were, and
 * which probes not everybody heard. Only on rows that are added up over all threads and replicas.
 */
import { Histogram, type HistogramData } from './histogram.ts'
import { isOwed } from './owed.ts'
import type { PublisherLog } from './publisher-log.ts'
import type { Snapshot } from './snapshot.ts'

/** Probes in the worst list. */
export const WORST_PROBES = 20

/** One probe for the worst list; times count from its intended time. */
export interface WorstProbe {
  readonly stream: number
  readonly sequence: number
  /** Clients that were owed it and did not hear it in time. */
  readonly missing: number
  /** undefined when nobody heard it. */
  readonly firstUs: number | undefined
  /** When the last of those that heard it did. */
  readonly lastUs: number | undefined
}

export interface FanoutFigures {
  /** Probes that were owed to at least one client. */
  readonly probes: number
  /** Probes that not every client owed them has heard. */
  readonly incomplete: number
  /** Intended → first client, of every probe that was heard. */
  readonly firstUs: HistogramData
  /** Intended → last client, of complete probes. */
  readonly completionUs: HistogramData
  /** First → last client, of complete probes. */
  readonly spreadUs: HistogramData
  /** Most missing first, then slowest; at most WORST_PROBES, complete ones among them. */
  readonly worst: readonly WorstProbe[]
}

export interface FanoutFacts {
  /** What all receivers together know. */
  readonly snapshot: Pick<Snapshot, 'fanout' | 'readyClients'>
  readonly log: PublisherLog
  /** Stream indices a client subscribes to. */
  readonly streamsOf: (client: number) => readonly number[]
}

export function fanoutFigures({ snapshot, log, streamsOf }: FanoutFacts): FanoutFigures {
  const readyByStream = readyTimesByStream(snapshot.readyClients, streamsOf)
  const rowOf = rowsByProbe(snapshot.fanout)
  const first = new Histogram()
  const completion = new Histogram()
  const spread = new Histogram()
  const worst = new WorstList()
  let probes = 0
  let incomplete = 0
  for (const stream of log.streams) {
    const readyUs = readyByStream.get(stream.stream) ?? []
    for (let sequence = 0; sequence < stream.count; sequence++) {
      const row = rowOf(stream.stream, sequence)
      if (!isOwed(stream.states[sequence]!, row !== undefined)) continue
      const owed = countUpTo(readyUs, Math.round(stream.sentUs[sequence]!))
      if (owed === 0) continue
      probes++
      const missing = Math.max(0, owed - (row?.count ?? 0))
      if (missing > 0) incomplete++
      if (row !== undefined) first.record(row.firstUs - row.intendedUs)
      if (row !== undefined && missing === 0) {
        completion.record(row.lastUs - row.intendedUs)
        spread.record(row.lastUs - row.firstUs)
      }
      worst.add({
        stream: stream.stream,
        sequence,
        missing,
        firstUs: row && row.firstUs - row.intendedUs,
        lastUs: row && row.lastUs - row.intendedUs,
      })
    }
  }
  return { probes, incomplete, firstUs: first.data(), completionUs: completion.data(), spreadUs: spread.data(), worst: worst.probes() }
}

interface Row {
  readonly intendedUs: number
  readonly firstUs: number
  readonly lastUs: number
  readonly count: number
}

function rowsByProbe(fanout: Snapshot['fanout']): (stream: number, sequence: number) => Row | undefined {
  const places = new Map<number, Map<number, number>>()
  for (let row = 0; row < fanout.count.length; row++) {
    const stream = fanout.stream[row]!
    const ofStream = places.get(stream) ?? new Map<number, number>()
    places.set(stream, ofStream.set(fanout.sequence[row]!, row))
  }
  return (stream, sequence) => {
    const row = places.get(stream)?.get(sequence)
    if (row === undefined) return undefined
    return { intendedUs: fanout.intendedUs[row]!, firstUs: fanout.firstUs[row]!, lastUs: fanout.lastUs[row]!, count: fanout.count[row]! }
  }
}

/** First ready times of the clients of each stream, ascending. */
function readyTimesByStream(ready: Snapshot['readyClients'], streamsOf: FanoutFacts['streamsOf']): Map<number, number[]> {
  const times = new Map<number, number[]>()
  ready.client.forEach((client, at) => {
    for (const stream of streamsOf(client)) {
      const ofStream = times.get(stream) ?? []
      ofStream.push(ready.readyUs[at]!)
      times.set(stream, ofStream)
    }
  })
  for (const ofStream of times.values()) ofStream.sort((a, b) => a - b)
  return times
}

/** How many of the ascending times are at most `us`. */
function countUpTo(ascending: readonly number[], us: number): number {
  let low = 0
  let high = ascending.length
  while (low < high) {
    const middle = (low + high) >>> 1
    if (ascending[middle]! <= us) low = middle + 1
    else high = middle
  }
  return low
}

/** Keeps the worst of very many without keeping many. */
class WorstList {
  #probes: WorstProbe[] = []

  add(probe: WorstProbe): void {
    this.#probes.push(probe)
    if (this.#probes.length >= WORST_PROBES * 50) this.#probes = this.probes()
  }

  probes(): WorstProbe[] {
    return this.#probes
      .sort((a, b) => b.missing - a.missing || (b.lastUs ?? 0) - (a.lastUs ?? 0) || a.stream - b.stream || a.sequence - b.sequence)
      .slice(0, WORST_PROBES)
  }
}
