/**
 * What is owed and what did not come: the publisher's log against ready times, and the holes of the ledger against absences
 * (docs/design.md §6). No term is made from the others: expected is counted from sent times, delivered was counted on the receive path,
 * missed and lost are counted hole by hole. Whether they add up is told, not assumed.
 */
import type { Ledger } from './ledger.ts'
import type { Membership } from './membership.ts'
import type { OwedProbes } from './owed.ts'
import type { RosterRows } from './roster-rows.ts'
import type { MissingDelivery, StreamCounts } from './snapshot.ts'
import { addStreams, byPlace, MAX_MISSING_LISTED } from './snapshot-merge.ts'
import { highestHeard } from './worst-clients.ts'

/** Rare bookings by slot; clients that had none cost nothing but zeros. */
export interface OddBookings {
  readonly duplicated: Uint32Array
  readonly outOfOrder: Uint32Array
  readonly early: Uint32Array
  readonly late: Uint32Array
  readonly unexpected: Uint32Array
}

/** What the books of a thread hold when they are settled. */
export interface OpenBooks {
  readonly replica: number
  readonly clients: readonly number[]
  readonly targetOf: readonly number[]
  readonly rows: RosterRows
  readonly ledger: Ledger
  readonly membership: Membership
  /** By row: first deliveries in time, as the receive path counted them. */
  readonly deliveredOf: Uint32Array
  readonly odd: OddBookings
}

/** Owed probes by stream index. */
export type Owed = ReadonlyMap<number, OwedProbes>

export interface Shortfall {
  readonly expected: number
  readonly missed: number
  readonly lost: number
}

/** During the run: what is owed so far, and what clients that were away will not get any more. Nothing is lost yet. */
export function shortfallSoFar(books: OpenBooks, owed: Owed): Shortfall {
  let expected = 0
  let missed = 0
  eachOwedRow(books, owed, (slot, row, probes) => {
    const readyUs = books.membership.firstReadyUs[slot]!
    const backUs = books.membership.backUs(slot, Number.POSITIVE_INFINITY)
    expected += probes.countSince(readyUs)
    missed += books.ledger.countMissing(row, probes, readyUs, backUs)
  })
  return { expected, missed, lost: 0 }
}

export interface Settlement extends Shortfall {
  /** Only of clients that were ever ready. */
  readonly bySlot: ReadonlyMap<number, Shortfall>
  /** Rows where expected is not delivered + missed + lost. */
  readonly unbalancedRows: number
  /** Clients that were owed something and heard nothing at all. */
  readonly heardNothing: number
  /** By stream ascending. */
  readonly streams: StreamCounts[]
  /** By client, stream and sequence, at most MAX_MISSING_LISTED. */
  readonly missing: MissingDelivery[]
}

/** After the drain: every hole is missed or lost. */
export function settleBooks(books: OpenBooks, owed: Owed, drainEndedUs: number): Settlement {
  const { ledger, membership, deliveredOf } = books
  const bySlot = new Map<number, Shortfall>()
  const byStream = new Map<number, StreamCounts>()
  let unbalancedRows = 0
  eachOwedRow(books, owed, (slot, row, probes) => {
    const readyUs = membership.firstReadyUs[slot]!
    const backUs = Math.max(readyUs, membership.backUs(slot, drainEndedUs))
    const expected = probes.countSince(readyUs)
    const missed = ledger.countMissing(row, probes, readyUs, backUs)
    const lost = ledger.countMissing(row, probes, backUs, Number.POSITIVE_INFINITY)
    const delivered = deliveredOf[row]!
    if (expected !== delivered + missed + lost) unbalancedRows++
    const rowCounts = { stream: books.rows.streamOf[row]!, clients: 1, expected, delivered, missed, lost }
    const known = byStream.get(rowCounts.stream)
    byStream.set(rowCounts.stream, known === undefined ? rowCounts : addStreams(known, rowCounts))
    bySlot.set(slot, addShortfalls(bySlot.get(slot) ?? NO_SHORTFALL, { expected, missed, lost }))
  })
  return {
    ...[...bySlot.values()].reduce(addShortfalls, NO_SHORTFALL),
    bySlot,
    unbalancedRows,
    heardNothing: [...bySlot].filter(([slot, { expected }]) => expected > 0 && isDeaf(books, slot)).length,
    streams: [...byStream.values()].sort((a, b) => a.stream - b.stream),
    missing: listMissing(books, owed, bySlot, drainEndedUs),
  }
}

const NO_SHORTFALL: Shortfall = { expected: 0, missed: 0, lost: 0 }

const addShortfalls = (a: Shortfall, b: Shortfall): Shortfall => ({
  expected: a.expected + b.expected,
  missed: a.missed + b.missed,
  lost: a.lost + b.lost,
})

/** Every row of a client that was ever ready, with the probes of its stream. */
function eachOwedRow(books: OpenBooks, owed: Owed, visit: (slot: number, row: number, probes: OwedProbes) => void): void {
  for (let slot = 0; slot < books.clients.length; slot++) {
    if (!books.membership.isReady(slot)) continue
    const { first, end } = books.rows.of(slot)
    for (let row = first; row < end; row++) {
      const probes = owed.get(books.rows.streamOf[row]!)
      if (probes !== undefined) visit(slot, row, probes)
    }
  }
}

/** Neither in time nor early nor late. */
const isDeaf = (books: OpenBooks, slot: number): boolean => highestHeard(books, slot) < 0 && books.odd.early[slot] === 0

function listMissing(books: OpenBooks, owed: Owed, bySlot: ReadonlyMap<number, Shortfall>, drainEndedUs: number): MissingDelivery[] {
  const { ledger, membership, clients, rows } = books
  const missing: MissingDelivery[] = []
  eachOwedRow(books, owed, (slot, row, probes) => {
    const { missed, lost } = bySlot.get(slot)!
    if (missed + lost === 0 || missing.length >= MAX_MISSING_LISTED) return
    const backUs = membership.backUs(slot, drainEndedUs)
    ledger.eachMissing(row, probes, membership.firstReadyUs[slot]!, (sequence) => {
      const why = probes.isOwedBetween(sequence, Number.NEGATIVE_INFINITY, backUs) ? 'missed' : 'lost'
      missing.push({ client: clients[slot]!, stream: rows.streamOf[row]!, sequence, why })
      return missing.length < MAX_MISSING_LISTED
    })
  })
  return missing.sort(byPlace)
}
