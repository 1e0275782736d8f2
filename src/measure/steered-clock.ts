/**
 * The run clock of a machine whose own clock is another one: it follows an estimate of the offset that somebody else keeps up to date, in
 * memory that all threads of the process share. It knows nothing of exchanges (offset.ts).
 */
import type { Clock } from './clock.ts'

/** One number, microseconds to add; in shared memory, so that a correction reaches every thread at once. */
export const newClockCorrection = (): Float64Array => new Float64Array(new SharedArrayBuffer(Float64Array.BYTES_PER_ELEMENT))

export class SteeredClock implements Clock {
  /** Of reading the clocks; how well the correction is known is told by whoever keeps it. */
  readonly boundUs: number
  readonly #clock: Clock
  readonly #correctionUs: Float64Array

  constructor(clock: Clock, correctionUs: Float64Array) {
    this.#clock = clock
    this.#correctionUs = correctionUs
    this.boundUs = clock.boundUs
  }

  nowUs(): number {
    return this.#clock.nowUs() + this.#correctionUs[0]!
  }
}
