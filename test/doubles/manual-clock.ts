/** A run clock that stands still until it is moved. */
import type { Clock } from '../../src/measure/clock.ts'

export class ManualClock implements Clock {
  readonly boundUs = 1
  #nowUs: number

  constructor(nowUs: number) {
    this.#nowUs = nowUs
  }

  nowUs(): number {
    return this.#nowUs
  }

  set(nowUs: number): void {
    this.#nowUs = nowUs
  }
}
