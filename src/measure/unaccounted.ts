/**
 * What a dead thread or replica took along: the deliveries its clients were owed and that its last snapshot does not tell of. The only
 * place where a term of the identity is a difference, because whoever could have counted it is gone.
 */
import { type HeardProbes, owedProbes } from './owed.ts'
import type { PublisherLog } from './publisher-log.ts'
import type { Snapshot } from './snapshot.ts'

export interface DeadHolder {
  /** Everything it handed over before it died. */
  readonly snapshot: Snapshot
  readonly log: PublisherLog
  readonly heard: HeardProbes
  /** Stream indices a client subscribes to. */
  readonly streamsOf: (client: number) => readonly number[]
}

/**
 * The snapshot of a dead holder with its terms closed: `expected` from the log and the ready times it told, `unaccounted` what is
 * neither delivered nor missed nor lost. Clients that became ready after its last snapshot are unknown to it.
 */
export function closeDeadBooks({ snapshot, log, heard, streamsOf }: DeadHolder): Snapshot {
  const owed = owedProbes(log, heard)
  const { client, readyUs } = snapshot.readyClients
  let expected = 0
  client.forEach((index, at) => {
    for (const stream of streamsOf(index)) expected += owed.get(stream)?.countSince(readyUs[at]!) ?? 0
  })
  const { delivered, missed, lost } = snapshot.measured
  const unaccounted = Math.max(0, expected - delivered - missed - lost)
  return { ...snapshot, measured: { ...snapshot.measured, expected, unaccounted } }
}
