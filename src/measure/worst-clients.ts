/**
 * The clients of a thread that were hit hardest, with everything that is known of each. Made when nothing more is received, so that what
 * came too late stands in it. It settles nothing.
 */
import type { OpenBooks, Shortfall } from './settlement.ts'
import type { ClientRow } from './snapshot.ts'
import { byBadness, WORST_CLIENTS } from './snapshot-merge.ts'

/** Worst first, at most WORST_CLIENTS. @param bySlot what settling found */
export function worstClients(books: OpenBooks, bySlot: ReadonlyMap<number, Shortfall>): ClientRow[] {
  const { odd } = books
  const worst: ClientRow[] = []
  for (const [slot, shortfall] of bySlot) {
    const oddities = odd.duplicated[slot]! + odd.outOfOrder[slot]! + odd.late[slot]! + odd.unexpected[slot]!
    if (shortfall.missed + shortfall.lost + oddities === 0) continue
    worst.push(clientRow(books, slot, shortfall))
    // Now and then, so that a run in which everybody lost something needs no list of everybody.
    if (worst.length >= WORST_CLIENTS * 50) worst.sort(byBadness).splice(WORST_CLIENTS)
  }
  return worst.sort(byBadness).slice(0, WORST_CLIENTS)
}

function clientRow(books: OpenBooks, slot: number, shortfall: Shortfall): ClientRow {
  const { membership, odd, rows, deliveredOf } = books
  const { first, end } = rows.of(slot)
  const lastEnd = membership.lastEnd(slot)
  return {
    client: books.clients[slot]!,
    replica: books.replica,
    target: books.targetOf[slot]!,
    localAddress: membership.localAddress(slot),
    localPort: membership.localPort(slot),
    ...shortfall,
    delivered: deliveredOf.subarray(first, end).reduce((sum, delivered) => sum + delivered, 0),
    duplicated: odd.duplicated[slot]!,
    outOfOrder: odd.outOfOrder[slot]!,
    early: odd.early[slot]!,
    late: odd.late[slot]!,
    unexpected: odd.unexpected[slot]!,
    lastSequence: highestHeard(books, slot),
    ...(lastEnd !== undefined && {
      endCode: lastEnd.code,
      endedAtUs: lastEnd.atUs,
      passBusyUs: lastEnd.passBusyUs,
      ...(lastEnd.closeCode !== undefined && { closeCode: lastEnd.closeCode }),
    }),
  }
}

/** The highest sequence a client has heard, late ones too, or −1. */
export function highestHeard({ rows, ledger }: OpenBooks, slot: number): number {
  let highest = -1
  const { first, end } = rows.of(slot)
  for (let row = first; row < end; row++) highest = Math.max(highest, ledger.highest(row))
  return highest
}
