/**
 * The three clocks of a process, driven by hand: every read takes `readUs`, and wall time may be shifted, stepped and drift.
 * Time passes only by reads and by `advance`.
 */
import type { ClockSources } from '../../src/measure/clock.ts'

export interface ManualClocksOptions {
  /** CLOCK_MONOTONIC at the start. */
  readonly monotonicUs?: number
  /** Wall time minus CLOCK_MONOTONIC at the start. */
  readonly wallOffsetUs?: number
  /** How much faster wall time runs than the monotonic clock, parts per million. */
  readonly wallDriftPpm?: number
  /** `performance.now()` minus CLOCK_MONOTONIC. */
  readonly performanceOffsetUs?: number
  /** How long each read takes, microseconds; asked again for every read. */
  readonly readUs?: () => number
}

export class ManualClocks implements ClockSources {
  readonly #options: Required<ManualClocksOptions>
  #elapsedUs = 0
  #stepUs = 0

  constructor(options: ManualClocksOptions = {}) {
    this.#options = {
      monotonicUs: 5_000_000,
      wallOffsetUs: 1_760_000_000_000_000,
      wallDriftPpm: 0,
      performanceOffsetUs: -4_000_000,
      readUs: () => 0.1,
      ...options,
    }
  }

  get monotonicNowUs(): number {
    return this.#options.monotonicUs + this.#elapsedUs
  }

  /** Exact wall time; what `wallMs` rounds down. */
  get wallNowUs(): number {
    return this.monotonicNowUs + this.#options.wallOffsetUs + this.#elapsedUs * this.#options.wallDriftPpm * 1e-6 + this.#stepUs
  }

  advance(us: number): void {
    this.#elapsedUs += us
  }

  /** Sets wall time forward (or back) without any time passing. */
  stepWall(us: number): void {
    this.#stepUs += us
  }

  readonly performanceMs = (): number => (this.#read(() => this.monotonicNowUs) + this.#options.performanceOffsetUs) / 1_000
  readonly monotonicNs = (): bigint => BigInt(Math.round(this.#read(() => this.monotonicNowUs) * 1_000))
  readonly wallMs = (): number => Math.floor(this.#read(() => this.wallNowUs) / 1_000)

  /** A clock is read somewhere inside the call: half of the time before, half after. */
  #read(value: () => number): number {
    const readUs = this.#options.readUs()
    this.advance(readUs / 2)
    const result = value()
    this.advance(readUs / 2)
    return result
  }
}
