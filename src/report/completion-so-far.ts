/**
 * The completion of probes while a run is under way: those that as many clients have heard as are ready. The report, which knows every client's
 * ready time and every probe's fate, counts exactly; this is read at each scrape and must be quick.
 */
import { streamsOfClient } from '../config/plan.ts'
import { Histogram, type HistogramData } from '../measure/histogram.ts'
import type { RunState } from '../run/result.ts'

/** Intended → last client, microseconds. */
export function completionSoFar({ plan, receivers }: RunState): HistogramData {
  const readyByStream = readyClients(plan, receivers.readyClients.client)
  const { stream, intendedUs, lastUs, count } = receivers.fanout
  const completion = new Histogram()
  for (let row = 0; row < count.length; row++) {
    if (count[row]! >= (readyByStream.get(stream[row]!) ?? Number.POSITIVE_INFINITY)) completion.record(lastUs[row]! - intendedUs[row]!)
  }
  return completion.data()
}

function readyClients(plan: RunState['plan'], clients: readonly number[]): Map<number, number> {
  const [only, ...others] = plan.streams
  if (only !== undefined && others.length === 0) return new Map([[only.index, clients.length]])
  const counts = new Map<number, number>()
  for (const client of clients) for (const { index } of streamsOfClient(plan, client)) counts.set(index, (counts.get(index) ?? 0) + 1)
  return counts
}
