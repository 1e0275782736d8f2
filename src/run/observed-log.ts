/**
 * INJECTOR=none: there is no publisher whose log could be asked, so what is owed is taken from what was heard. With MSG_COUNT
 * that many probes are owed; without it as many as the highest sequence anyone heard (a lost tail is invisible then).
 */
import { ProbeState, type PublisherLog, type StreamLog } from '../measure/publisher-log.ts'
import type { Snapshot } from '../measure/snapshot.ts'

export function observedLog(snapshot: Snapshot, countPerStream: number | undefined): PublisherLog {
  const streams = Object.entries(snapshot.highestSequence).map(([stream, highest]) => ({
    stream: Number(stream),
    count: countPerStream ?? highest + 1,
  }))
  return { streams: streams.map(({ stream, count }) => observedStream(snapshot, stream, count)) }
}

/**
 * A probe's time is the sent time it carries, as ready times are compared with it. One that nobody heard gets a time evenly between its
 * neighbours; before the first that was heard that one's, after the last the time of the last delivery.
 */
function observedStream(snapshot: Snapshot, stream: number, count: number): StreamLog {
  const { fanout, lastDeliveryUs = 0 } = snapshot
  const sentUs = new Float64Array(count).fill(Number.NaN)
  for (let row = 0; row < fanout.sequence.length; row++) {
    if (fanout.stream[row] === stream && fanout.sequence[row]! < count) sentUs[fanout.sequence[row]!] = fanout.sentUs[row]!
  }
  let heard = -1
  for (let sequence = 0; sequence <= count; sequence++) {
    if (sequence < count && Number.isNaN(sentUs[sequence])) continue
    fillBetween(sentUs, { heard, next: sequence, lastDeliveryUs })
    heard = sequence
  }
  return { stream, count, sentUs, states: new Uint8Array(count).fill(ProbeState.confirmed) }
}

/** The sequences after `heard` (−1: none) and before `next` (the count: none). */
function fillBetween(sentUs: Float64Array, { heard, next, lastDeliveryUs }: { heard: number; next: number; lastDeliveryUs: number }): void {
  const toUs = next < sentUs.length ? sentUs[next]! : lastDeliveryUs
  const fromUs = heard >= 0 && next < sentUs.length ? sentUs[heard]! : toUs
  for (let sequence = heard + 1; sequence < next; sequence++) {
    sentUs[sequence] = fromUs + ((toUs - fromUs) * (sequence - heard)) / (next - heard)
  }
}
