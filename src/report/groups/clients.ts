/** Who was there: the roster, how far each client came, and how connecting went. */
import type { Snapshot } from '../../measure/snapshot.ts'
import { usToSeconds } from '../../units.ts'
import type { Report } from '../schema.ts'
import { summaryOf } from './summary.ts'

export function clientsGroup({ clients, errorsByCode, errorTexts, endings, heardNothing }: Snapshot): Report['clients'] {
  const { wanted, opened, ready, failed, disconnected, reconnected } = clients
  const errors = { errorsByCode: { ...errorsByCode }, errorTexts: { ...errorTexts }, endings }
  return { wanted, opened, ready, failed, disconnected, reconnected, heardNothing, ...errors }
}

export function connectGroup(snapshot: Snapshot): Report['connect'] {
  return {
    ratePerSecond: readyRate(snapshot),
    latencyUs: summaryOf(snapshot.connectLatencyUs),
    readyLatencyUs: summaryOf(snapshot.readyLatencyUs),
  }
}

function readyRate({ firstDialUs, lastReadyUs, clients }: Snapshot): number | undefined {
  if (firstDialUs === undefined || lastReadyUs === undefined || lastReadyUs <= firstDialUs) return undefined
  return clients.ready / usToSeconds(lastReadyUs - firstDialUs)
}
