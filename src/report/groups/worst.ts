/** Whom it hit hardest: the clients with the most missing deliveries, and the probes that took longest or did not arrive. */
import type { WorstProbe } from '../../measure/fanout-figures.ts'
import type { ClientRow } from '../../measure/snapshot.ts'
import { usToMs } from '../../units.ts'
import type { Report } from '../schema.ts'

type WorstClient = Report['worst']['clients'][number]

/** `completionUs` is when the last of those that heard it did, complete or not. */
export const worstProbe = ({ stream, sequence, missing, firstUs, lastUs }: WorstProbe): Report['worst']['probes'][number] => ({
  stream,
  sequence,
  missing,
  firstUs,
  completionUs: lastUs,
})

export const worstClient = (row: ClientRow, startedUs: number): WorstClient => ({
  index: row.client,
  replica: row.replica,
  target: row.target,
  localAddress: row.localAddress,
  localPort: row.localPort,
  expected: row.expected,
  delivered: row.delivered,
  missing: row.missed + row.lost,
  missed: row.missed,
  lost: row.lost,
  duplicated: row.duplicated,
  outOfOrder: row.outOfOrder,
  early: row.early,
  late: row.late,
  unexpected: row.unexpected,
  lastSequence: row.lastSequence,
  endCode: row.endCode,
  closeCode: row.closeCode,
  endedAtMs: row.endedAtUs === undefined ? undefined : usToMs(row.endedAtUs - startedUs),
  passBusyUs: row.passBusyUs,
})
