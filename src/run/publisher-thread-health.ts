/**
 * What the publisher's thread knows about its own load. Naps of the alarm are idleness, though the event loop counts them as work.
 */
import { performance } from 'node:perf_hooks'
import { emptyHistogram } from '../measure/histogram.ts'
import type { ThreadHealth } from '../measure/snapshot.ts'
import { msToUs } from '../units.ts'
import type { PreciseAlarm } from './alarm.ts'

/** Receiver threads count from 0. */
const PUBLISHER_THREAD = -1

/** Before the thread has said anything. */
export const noPublisherHealth = (replica: number): ThreadHealth => ({
  replica,
  thread: PUBLISHER_THREAD,
  role: 'publisher',
  busyUs: 0,
  spanUs: 0,
  loopDelayUs: emptyHistogram(),
  passBusyUs: emptyHistogram(),
  reads: 0,
  frames: 0,
  bytes: 0,
})

export class PublisherThreadHealth {
  readonly #replica: number
  readonly #alarms: PreciseAlarm[] = []

  constructor(replica: number) {
    this.#replica = replica
  }

  watched(alarm: PreciseAlarm): PreciseAlarm {
    this.#alarms.push(alarm)
    return alarm
  }

  /** Since the thread began. */
  read(): ThreadHealth {
    const { active, idle } = performance.eventLoopUtilization()
    const nappedMs = this.#alarms.reduce((sum, alarm) => sum + alarm.nappedMs, 0)
    return { ...noPublisherHealth(this.#replica), busyUs: msToUs(Math.max(0, active - nappedMs)), spanUs: msToUs(active + idle) }
  }
}
