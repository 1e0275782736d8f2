/** Whole seconds of a run under way, as the live page draws them. Pure. */
import { percentiles } from '../../measure/percentiles.ts'
import type { RunState } from '../../run/result.ts'
import { US_PER_SECOND, usToMs, usToSeconds } from '../../units.ts'

export interface SecondFigures {
  /** Since the run started. */
  readonly atS: number
  readonly deliveredPerSecond: number
  /** null when another program publishes. */
  readonly offeredPerSecond: number | null
  readonly p50Ms: number | null
  readonly p99Ms: number | null
  readonly maxMs: number | null
}

/** The seconds after `afterSecond` (since the epoch) that are over; silent ones too. */
export function secondsSince(
  { startedUs, receivers, publisher, plan }: RunState,
  span: { afterSecond: number; nowUs: number },
): SecondFigures[] {
  const heard = new Map(receivers.timeline.map((second) => [second.second, second]))
  const published = new Map(publisher?.timeline)
  const first = Math.max(span.afterSecond + 1, Math.floor(startedUs / US_PER_SECOND))
  const end = Math.floor(span.nowUs / US_PER_SECOND)
  const seconds: SecondFigures[] = []
  for (let second = first; second < end; second++) {
    const entry = heard.get(second)
    const { p50, p99 } = entry === undefined ? {} : percentiles(entry.latencyUs)
    seconds.push({
      atS: Math.round((second - usToSeconds(startedUs)) * 100) / 100,
      deliveredPerSecond: entry?.delivered ?? 0,
      offeredPerSecond:
        publisher === undefined ? null : Math.round(((published.get(second) ?? 0) / plan.streams.length) * receivers.clients.connected),
      p50Ms: inMs(p50),
      p99Ms: inMs(p99),
      maxMs: inMs(entry?.latencyUs.max),
    })
  }
  return seconds
}

const inMs = (us: number | undefined): number | null => (us === undefined ? null : usToMs(us))
