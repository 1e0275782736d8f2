/**
 * The ruler measures itself: how busy a thread's event loop was, how late its timers ran, and for every delivery how long the loop
 * pass in which it was read had been busy already. That time is an upper bound on the tester's own queueing: bytes cannot have waited
 * longer for this thread than the thread was away from its poll.
 *
 * A pass begins with its first read and ends with one `setImmediate`, which runs when all sockets that were ready have been read. When a
 * heartbeat timer is overdue or was late, the loop was held up before that read, so the pass began when the heartbeat was due.
 */
import { type EventLoopUtilization, performance } from 'node:perf_hooks'
import { msToUs } from '../units.ts'
import type { Clock } from './clock.ts'
import { Histogram } from './histogram.ts'
import type { ThreadHealth } from './snapshot.ts'

/** How often the heartbeat runs: often enough that a hold-up of 10 ms shows, rare enough to cost a thousandth of a core. */
const HEARTBEAT_MS = 10

/** Timers are good to a millisecond, and rounded up: less than this is no hold-up. */
const TIMER_SLACK_US = 2_000

/** A thread that is busy for this part of a spell has no reserve: what it measures is its own pace. */
const SATURATED_RATIO = 0.95

/** What an engine has read so far. */
export interface Traffic {
  readonly reads: number
  readonly frames: number
  readonly bytes: number
}

export interface ThreadWatchOptions {
  readonly clock: Clock
  readonly replica: number
  readonly thread: number
  readonly role: ThreadHealth['role']
  /** Cumulative; absent on threads that read nothing. */
  readonly traffic?: () => Traffic
}

/** The two things a watch asks of the event loop. */
export interface Timers {
  /** Calls back once, when every socket that was ready has been read. */
  onPassEnd(callback: () => void): void
  /** Calls back again and again without keeping the process alive, until the answer is called. */
  every(ms: number, callback: () => void): () => void
}

const loopTimers: Timers = {
  onPassEnd(callback) {
    setImmediate(callback)
  },
  every(ms, callback) {
    const timer = setInterval(callback, ms).unref()
    return () => clearInterval(timer)
  },
}

// Slots of `#state`.
const PASS_STARTED_US = 0
const READ_US = 1
const READ_BUSY_US = 2
const READ_DELIVERIES = 3
const BEAT_DUE_US = 4

export class ThreadWatch {
  readonly #options: ThreadWatchOptions
  readonly #timers: Timers
  readonly #state = new Float64Array(5)
  readonly #passBusy = new Histogram()
  readonly #loopDelay = new Histogram()
  #stopBeating: () => void = () => undefined
  #utilisation: EventLoopUtilization = performance.eventLoopUtilization()
  #takenUs: number
  #traffic: Traffic = { reads: 0, frames: 0, bytes: 0 }

  constructor(options: ThreadWatchOptions, timers = loopTimers) {
    this.#options = options
    this.#timers = timers
    this.#takenUs = options.clock.nowUs()
    this.#state[PASS_STARTED_US] = Number.NaN
    this.#state[READ_US] = Number.NaN
    this.#state[BEAT_DUE_US] = Number.POSITIVE_INFINITY
  }

  /** Starts the heartbeat. It does not keep the process alive. */
  start(): void {
    this.#state[BEAT_DUE_US] = this.#options.clock.nowUs() + msToUs(HEARTBEAT_MS)
    this.#stopBeating = this.#timers.every(HEARTBEAT_MS, () => this.#beat())
  }

  stop(): void {
    this.#stopBeating()
    this.#state[BEAT_DUE_US] = Number.POSITIVE_INFINITY
  }

  /** Books one delivery that was read at `receivedUs`. On the receive path: deliveries of one read share their time. */
  delivered(receivedUs: number): void {
    if (receivedUs !== this.#state[READ_US]) this.#beginRead(receivedUs)
    this.#state[READ_DELIVERIES]!++
  }

  /** How long the loop pass of this moment has been busy. */
  busyUs(nowUs: number): number {
    const startedUs = this.#state[PASS_STARTED_US]!
    return nowUs - (Number.isNaN(startedUs) ? this.#heldUpSinceUs(nowUs) : startedUs)
  }

  /** What happened since the last `take`. */
  take(): ThreadHealth {
    const { clock, replica, thread, role, traffic } = this.#options
    this.#endRead()
    const nowUs = clock.nowUs()
    const utilisation = performance.eventLoopUtilization()
    const { active } = performance.eventLoopUtilization(utilisation, this.#utilisation)
    const total = traffic?.() ?? this.#traffic
    const busyUs = msToUs(active)
    const spanUs = nowUs - this.#takenUs
    const passBusyUs = this.#passBusy.take()
    const loadedUs = passBusyUs.count > 0 ? spanUs : 0
    const health: ThreadHealth = {
      replica,
      thread,
      role,
      busyUs,
      spanUs,
      loadedUs,
      saturatedUs: busyUs >= SATURATED_RATIO * spanUs ? loadedUs : 0,
      loopDelayUs: this.#loopDelay.take(),
      passBusyUs,
      reads: total.reads - this.#traffic.reads,
      frames: total.frames - this.#traffic.frames,
      bytes: total.bytes - this.#traffic.bytes,
    }
    this.#utilisation = utilisation
    this.#takenUs = nowUs
    this.#traffic = { ...total }
    return health
  }

  #beginRead(receivedUs: number): void {
    this.#endRead()
    if (Number.isNaN(this.#state[PASS_STARTED_US])) this.#beginPass(this.#heldUpSinceUs(receivedUs))
    this.#state[READ_US] = receivedUs
    this.#state[READ_BUSY_US] = receivedUs - this.#state[PASS_STARTED_US]!
  }

  #endRead(): void {
    this.#passBusy.recordMany(this.#state[READ_BUSY_US]!, this.#state[READ_DELIVERIES]!)
    this.#state[READ_DELIVERIES] = 0
    this.#state[READ_US] = Number.NaN
  }

  #beginPass(sinceUs: number): void {
    this.#state[PASS_STARTED_US] = sinceUs
    this.#timers.onPassEnd(this.#endPass)
  }

  readonly #endPass = (): void => {
    this.#state[PASS_STARTED_US] = Number.NaN
  }

  /** Now, or when the heartbeat was due if it should have run long ago. */
  #heldUpSinceUs(nowUs: number): number {
    const dueUs = this.#state[BEAT_DUE_US]!
    return nowUs - dueUs > TIMER_SLACK_US ? dueUs : nowUs
  }

  #beat(): void {
    const nowUs = this.#options.clock.nowUs()
    const dueUs = this.#state[BEAT_DUE_US]!
    this.#loopDelay.record(Math.max(0, nowUs - dueUs))
    // What is read next was waiting since then, although this beat has run by now.
    if (nowUs - dueUs > TIMER_SLACK_US && Number.isNaN(this.#state[PASS_STARTED_US])) this.#beginPass(dueUs)
    this.#state[BEAT_DUE_US] = nowUs + msToUs(HEARTBEAT_MS)
  }
}
