/**
 * What the publisher's thread knows about its own load, since it began. Naps of the alarm are idleness, though the event loop counts
 * them as work.
 */
import type { Clock } from '../measure/clock.ts'
import { emptyHistogram } from '../measure/histogram.ts'
import { PUBLISHER_THREAD, type ThreadHealth } from '../measure/snapshot.ts'
import { addThreads } from '../measure/snapshot-merge.ts'
import { ThreadWatch } from '../measure/thread-watch.ts'
import { msToUs } from '../units.ts'
import type { PreciseAlarm } from './alarm.ts'

/** Before the thread has said anything. */
export const noPublisherHealth = (replica: number): ThreadHealth => ({
  replica,
  thread: PUBLISHER_THREAD,
  role: 'publisher',
  busyUs: 0,
  spanUs: 0,
  loadedUs: 0,
  saturatedUs: 0,
  loopDelayUs: emptyHistogram(),
  passBusyUs: emptyHistogram(),
  reads: 0,
  frames: 0,
  bytes: 0,
})

export class PublisherThreadHealth {
  readonly #watch: ThreadWatch
  readonly #alarms: PreciseAlarm[] = []
  #total: ThreadHealth

  constructor(clock: Clock, replica: number) {
    this.#total = noPublisherHealth(replica)
    this.#watch = new ThreadWatch({ clock, replica, thread: PUBLISHER_THREAD, role: 'publisher' })
    this.#watch.start()
  }

  watched(alarm: PreciseAlarm): PreciseAlarm {
    this.#alarms.push(alarm)
    return alarm
  }

  read(): ThreadHealth {
    this.#total = addThreads(this.#total, this.#watch.take())
    const nappedMs = this.#alarms.reduce((sum, alarm) => sum + alarm.nappedMs, 0)
    return { ...this.#total, busyUs: Math.max(0, this.#total.busyUs - msToUs(nappedMs)) }
  }
}
