/**
 * Figures of first deliveries in time: two latencies each, by target and by second, and the silences in between. Recording is on the
 * receive path: it goes into the counters of the current second, and totals are made by adding seconds up.
 */
import type { Stamp } from '../probe/probe.ts'
import { secondsToUs, usToSeconds } from '../units.ts'
import { emptyHistogram, Histogram, type HistogramData } from './histogram.ts'
import { mergeHistograms, sumHistograms } from './histogram-merge.ts'

/** Changes since the last `take`. */
export interface DeliveryChanges {
  readonly delivered: number
  readonly firstUs: number | undefined
  readonly lastUs: number | undefined
  readonly longestSilenceUs: number
  readonly serviceLatencyUs: HistogramData
  /** By target. */
  readonly latencyByTarget: readonly HistogramData[]
  /** By second since the epoch. */
  readonly latencyBySecond: ReadonlyMap<number, HistogramData>
}

// Slots of `#state`: doubles in object fields are allocated anew at each store.
const SECOND_ENDS_US = 0
const FIRST_US = 1
const LAST_US = 2
const LONGEST_SILENCE_US = 3
const DELIVERED = 4

export class DeliveryFigures {
  readonly #state = new Float64Array(5)
  /** By target: latencies of the current second. */
  readonly #latency: Histogram[]
  readonly #service = new Histogram()
  /** Seconds that are over, since the last `take`. */
  #bySecond = new Map<number, HistogramData>()
  #byTarget: HistogramData[]

  constructor(targets: number) {
    this.#latency = Array.from({ length: targets }, () => new Histogram())
    this.#byTarget = this.#latency.map(emptyHistogram)
    this.#state[FIRST_US] = Number.NaN
    this.#state[LAST_US] = Number.NaN
  }

  record(target: number, stamp: Stamp, receivedUs: number): void {
    const state = this.#state
    if (receivedUs >= state[SECOND_ENDS_US]!) this.#beginSecond(receivedUs)
    this.#latency[target]!.record(receivedUs - stamp.intendedUs)
    this.#service.record(receivedUs - stamp.sentUs)
    // Not so before the first: comparing with NaN is false.
    if (receivedUs - state[LAST_US]! > state[LONGEST_SILENCE_US]!) state[LONGEST_SILENCE_US] = receivedUs - state[LAST_US]!
    state[LAST_US] = receivedUs
    state[DELIVERED]!++
  }

  take(): DeliveryChanges {
    const state = this.#state
    const delivered = state[DELIVERED]!
    this.#endSecond()
    const changes: DeliveryChanges = {
      delivered,
      firstUs: delivered > 0 ? state[FIRST_US] : undefined,
      lastUs: delivered > 0 ? state[LAST_US] : undefined,
      longestSilenceUs: state[LONGEST_SILENCE_US]!,
      serviceLatencyUs: this.#service.take(),
      latencyByTarget: this.#byTarget,
      latencyBySecond: this.#bySecond,
    }
    state[DELIVERED] = 0
    state[LONGEST_SILENCE_US] = 0
    // The next delivery begins a second again, also when it falls in the same one: seconds add up.
    state[SECOND_ENDS_US] = 0
    this.#bySecond = new Map()
    this.#byTarget = this.#latency.map(emptyHistogram)
    return changes
  }

  #beginSecond(receivedUs: number): void {
    this.#endSecond()
    if (this.#state[DELIVERED] === 0) this.#state[FIRST_US] = receivedUs
    this.#state[SECOND_ENDS_US] = secondsToUs(Math.floor(usToSeconds(receivedUs)) + 1)
  }

  #endSecond(): void {
    const ended = this.#latency.map((histogram) => histogram.take())
    const total = sumHistograms(ended)
    if (total.count === 0) return
    this.#byTarget = this.#byTarget.map((sum, target) => mergeHistograms(sum, ended[target]!))
    const second = usToSeconds(this.#state[SECOND_ENDS_US]!) - 1
    const known = this.#bySecond.get(second)
    this.#bySecond.set(second, known === undefined ? total : mergeHistograms(known, total))
  }
}
