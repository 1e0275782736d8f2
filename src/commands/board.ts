/** Where a run is right now, for whoever looks: progress lines, metrics, the live page. It only points at the parts' own snapshots. */
import type { Plan } from '../config/plan.ts'
import type { Settings } from '../config/settings.ts'
import type { Clock } from '../measure/clock.ts'
import type { Snapshot } from '../measure/snapshot.ts'
import { emptySnapshot } from '../measure/snapshot-merge.ts'
import type { VerdictOutcome } from '../report/verdict.ts'
import type { PublisherSnapshot } from '../run/publisher.ts'
import type { Phase, RunState } from '../run/result.ts'
import { usToMs } from '../units.ts'

export interface Watched {
  readonly receivers: () => Snapshot
  readonly publisher: () => PublisherSnapshot | undefined
}

export class Board {
  /** undefined until the verdict is decided. */
  outcome: VerdictOutcome | undefined
  /** Made anew when replicas have joined. */
  plan: Plan
  readonly #clock: Clock
  readonly #startedUs: number
  #phase: Phase = 'preflight'
  #phaseStartedUs: number
  #watched: Watched = { receivers: emptySnapshot, publisher: () => undefined }

  #hearPhase: () => void = () => undefined

  constructor(plan: Plan, clock: Clock) {
    this.plan = plan
    this.#clock = clock
    this.#startedUs = clock.nowUs()
    this.#phaseStartedUs = this.#startedUs
  }

  watch(watched: Watched): void {
    this.#watched = watched
  }

  enter(phase: Phase): void {
    this.#phase = phase
    this.#phaseStartedUs = this.#clock.nowUs()
    this.#hearPhase()
  }

  /** `hear` is called after every change of phase. */
  onPhase(hear: () => void): void {
    this.#hearPhase = hear
  }

  nowUs(): number {
    return this.#clock.nowUs()
  }

  elapsedMs(): number {
    return usToMs(this.nowUs() - this.#startedUs)
  }

  get logLevel(): Settings['logLevel'] {
    return this.plan.settings.logLevel
  }

  state(): RunState {
    return {
      plan: this.plan,
      phase: this.#phase,
      phaseStartedUs: this.#phaseStartedUs,
      startedUs: this.#startedUs,
      receivers: this.#watched.receivers(),
      publisher: this.#watched.publisher(),
    }
  }

  /** All clients of this process are ready, and the run has not ended. */
  isReady(): boolean {
    const { wanted, ready } = this.#watched.receivers().clients
    return this.#phase !== 'done' && wanted > 0 && ready >= wanted
  }
}
