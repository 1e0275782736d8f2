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

/** A probe's time is the sent time it carries, as ready clients are compared with it; one that nobody heard gets the time of the next that was heard, or of the last. */
function observedStream(snapshot: Snapshot, stream: number, count: number): StreamLog {
  const sentUs = new Float64Array(count)
  const { fanout } = snapshot
  for (let i = 0; i < fanout.sequence.length; i++) {
    if (fanout.stream[i] === stream && fanout.sequence[i]! < count) sentUs[fanout.sequence[i]!] = fanout.sentUs[i]!
  }
  let knownUs = snapshot.lastDeliveryUs ?? 0
  for (let sequence = count - 1; sequence >= 0; sequence--) {
    if (sentUs[sequence] === 0) sentUs[sequence] = knownUs
    else knownUs = sentUs[sequence]!
  }
  return { stream, count, sentUs, states: new Uint8Array(count).fill(ProbeState.confirmed) }
}
