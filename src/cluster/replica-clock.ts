/**
 * The replica's clock against the coordinator's: one and the same, or estimated by exchanges for as long as the run lasts. It corrects the
 * run clock of this process when the estimate moves, and knows how far the corrected clock was off at most while figures were taken.
 */
import { type ClockSources, monotonicUs } from '../measure/clock.ts'
import { type ClockIdentity, isSameClock } from '../measure/clock-identity.ts'
import { type Exchange, OffsetEstimator } from '../measure/offset.ts'
import { newClockCorrection } from '../measure/steered-clock.ts'
import type { ReplicaClockState } from '../run/result.ts'

/** Reading CLOCK_MONOTONIC takes well under a microsecond on either side. */
const READ_BOUND_US = 1
/** Moments at which the bound is looked at between two steerings; between two exchanges it is widest in the middle. */
const LOOKS = 8
/** Threads tell once a second what happened since they last did; it is passed on within another. */
const RECENT_STEERINGS = 3

export class ReplicaClock {
  /** Added to the run clock by every thread; shared memory. */
  readonly correctionUs = newClockCorrection()
  readonly #sources: ClockSources
  readonly #identity: ClockIdentity
  readonly #estimator = new OffsetEstimator(READ_BOUND_US)
  #exchanges = 0
  #tightest: Exchange | undefined
  #isDecided = false
  #isShared = false
  /** Coordinator's clock minus ours, as the plan's run clock was made with; corrections come on top. */
  #startOffsetUs = 0
  #steeredUs: number | undefined
  /** Between the last steerings. */
  readonly #boundsUs: number[] = []
  #widestUs = 0

  constructor(sources: ClockSources, identity: ClockIdentity) {
    this.#sources = sources
    this.#identity = identity
  }

  /** Exchanges so far. */
  get exchanges(): number {
    return this.#exchanges
  }

  /** CLOCK_MONOTONIC of this machine. */
  nowUs(): number {
    return monotonicUs(this.#sources)
  }

  /** One question and its answer; ours are read by `nowUs`. */
  exchanged(exchange: Exchange): void {
    this.#exchanges += 1
    if (this.#tightest === undefined || roundTripUs(exchange) < roundTripUs(this.#tightest)) this.#tightest = exchange
    this.#estimator.add(exchange)
  }

  /**
   * Decides once, after some exchanges, whether the clocks are one.
   * @returns CLOCK_MONOTONIC of this machine to run clock, given the coordinator's own
   */
  runClockOffsetUs(theirs: ClockIdentity, coordinatorOffsetUs: number): number {
    this.#isDecided = true
    this.#isShared = this.#tightest !== undefined && isSameClock(this.#identity, theirs, this.#tightest)
    this.#startOffsetUs = this.#isShared ? 0 : (this.#estimator.at(this.nowUs())?.offsetUs ?? 0)
    return coordinatorOffsetUs + this.#startOffsetUs
  }

  /** Corrects the clock; call it once a second. Before it is decided what the clock is there is nothing to correct. */
  steer(): void {
    if (!this.#isDecided) return
    const nowUs = this.nowUs()
    this.#boundsUs.push(this.#boundBetween(this.#steeredUs ?? nowUs, nowUs))
    this.#boundsUs.splice(0, this.#boundsUs.length - RECENT_STEERINGS)
    this.#steeredUs = nowUs
    const estimate = this.#estimator.at(nowUs)
    if (!this.#isShared && estimate !== undefined) this.correctionUs[0] = estimate.offsetUs - this.#startOffsetUs
  }

  /** How far the clock was off at most while what threads tell now was measured, microseconds. */
  get recentBoundUs(): number {
    return Math.max(0, ...this.#boundsUs)
  }

  /** Figures were taken while the clock was this far off at most. */
  figuresWithin(boundUs: number): void {
    this.#widestUs = Math.max(this.#widestUs, boundUs)
  }

  state(): ReplicaClockState {
    return { isShared: this.#isShared, offsetUs: this.#usedUs, boundUs: this.#widestUs, steps: this.#estimator.steps }
  }

  get #usedUs(): number {
    return this.#startOffsetUs + this.correctionUs[0]!
  }

  #boundBetween(fromUs: number, untilUs: number): number {
    let widestUs = 0
    for (let look = 0; look <= LOOKS; look++) {
      const estimate = this.#estimator.at(fromUs + ((untilUs - fromUs) * look) / LOOKS)
      if (estimate !== undefined) widestUs = Math.max(widestUs, this.#boundAgainst(estimate))
    }
    return widestUs
  }

  /** A shared clock is exact, unless an exchange contradicts it. */
  #boundAgainst({ offsetUs, boundUs }: { offsetUs: number; boundUs: number }): number {
    const distanceUs = Math.abs(this.#usedUs - offsetUs)
    return this.#isShared ? Math.max(0, distanceUs - boundUs) : distanceUs + boundUs
  }
}

const roundTripUs = ({ sentUs, theirReceivedUs, theirSentUs, receivedUs }: Exchange): number =>
  receivedUs - sentUs - (theirSentUs - theirReceivedUs)
