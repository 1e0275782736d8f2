/**
 * The run's clock: microseconds since the epoch that never jump. It is CLOCK_MONOTONIC moved once to wall time, so every
 * thread and process of a machine that knows the offset reads the same clock. It knows nothing of other machines (offset.ts).
 */
import { assert } from '../errors.ts'
import { msToUs, NS_PER_US } from '../units.ts'

/** What everything that needs the time takes; tests hand in a clock of their own. */
export interface Clock {
  /** Microseconds since the epoch on the run clock; a double, finer than a microsecond. */
  nowUs(): number
  /** How far `nowUs` may be from the run clock; never 0. */
  readonly boundUs: number
}

/** The three clocks of a process. */
export interface ClockSources {
  /** Milliseconds since an origin of the thread's own, monotonic. */
  readonly performanceMs: () => number
  /** CLOCK_MONOTONIC, nanoseconds. */
  readonly monotonicNs: () => bigint
  /** Wall time in whole milliseconds since the epoch. */
  readonly wallMs: () => number
}

export const systemClocks: ClockSources = {
  performanceMs: () => performance.now(),
  monotonicNs: () => process.hrtime.bigint(),
  wallMs: () => Date.now(),
}

/** CLOCK_MONOTONIC in microseconds; good to a few nanoseconds for as long as machines stay up. */
export const monotonicUs = (sources: ClockSources): number => Number(sources.monotonicNs()) / NS_PER_US

/** Spacing of doubles around today's microseconds since the epoch, 2^-2: no time is known better than this. */
export const EPOCH_RESOLUTION_US = 0.25

/** Bracketed reads when a thread maps its clock: enough that one is not interrupted, well under a millisecond together. */
const MAPPING_TRIES = 256

/**
 * A thread's view of the run clock. `hrtime.bigint()` allocates and `performance.now()` counts from an origin of its own, so
 * one is mapped to the other when the clock is made, by reading the first between two reads of the second; the tightest pair is kept
 * and half its width is the bound. Both count the same oscillator, so the mapping does not age.
 */
export class RunClock implements Clock {
  readonly boundUs: number
  readonly #offsetUs: number
  readonly #performanceMs: () => number

  /** @param runClockOffsetUs CLOCK_MONOTONIC to run clock, from the plan */
  constructor(runClockOffsetUs: number, sources: ClockSources = systemClocks) {
    const { monotonicMinusPerformanceUs, widthUs } = mapPerformanceClock(sources)
    this.#performanceMs = sources.performanceMs
    this.#offsetUs = monotonicMinusPerformanceUs + runClockOffsetUs
    this.boundUs = widthUs / 2 + EPOCH_RESOLUTION_US
  }

  nowUs(): number {
    return msToUs(this.#performanceMs()) + this.#offsetUs
  }
}

function mapPerformanceClock(sources: ClockSources): { monotonicMinusPerformanceUs: number; widthUs: number } {
  let best = { monotonicMinusPerformanceUs: 0, widthUs: Number.POSITIVE_INFINITY }
  for (let attempt = 0; attempt < MAPPING_TRIES; attempt++) {
    const beforeUs = msToUs(sources.performanceMs())
    const monotonic = monotonicUs(sources)
    const afterUs = msToUs(sources.performanceMs())
    const widthUs = afterUs - beforeUs
    if (widthUs >= 0 && widthUs < best.widthUs) {
      best = { monotonicMinusPerformanceUs: monotonic - (beforeUs + afterUs) / 2, widthUs }
    }
  }
  assert(Number.isFinite(best.widthUs), 'performance.now() ran backwards in every try to map it')
  return best
}
