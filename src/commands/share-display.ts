/** What a replica shows of its share: progress on stderr, metrics, readiness. It shows nothing before the plan is known. */
import type { Registry } from 'prom-client'
import type { Crowd } from '../clients/crowd.ts'
import type { Plan } from '../config/plan.ts'
import type { FanfareError } from '../errors.ts'
import { type Clock, RunClock } from '../measure/clock.ts'
import type { PublisherLog } from '../measure/publisher-log.ts'
import { MAIN_THREAD, type Snapshot } from '../measure/snapshot.ts'
import { emptySnapshot } from '../measure/snapshot-merge.ts'
import { ThreadWatch } from '../measure/thread-watch.ts'
import { registerMetrics } from '../metrics/registry.ts'
import { cutShort } from '../run/cut-short.ts'
import type { Phase, RunResult } from '../run/result.ts'
import { Board } from './board.ts'
import type { CommandContext } from './context.ts'
import { type Progress, showProgress } from './show-progress.ts'

export class ShareDisplay {
  readonly #registry: Registry
  readonly #context: CommandContext
  #share: StandingShare | undefined
  #board: Board | undefined
  #progress: Progress | undefined

  constructor(registry: Registry, context: CommandContext) {
    this.#registry = registry
    this.#context = context
  }

  /** undefined until it stands. */
  get share(): StandingShare | undefined {
    return this.#share
  }

  begin(plan: Plan, crowd: Crowd): void {
    const clock = new RunClock(plan.runClockOffsetUs)
    const board = new Board(plan, clock)
    board.watch({ receivers: () => crowd.snapshot(), publisher: () => undefined })
    registerMetrics(this.#registry, 'replica', { state: () => board.state(), outcome: () => undefined, version: this.#context.version })
    this.#share = new StandingShare(plan, crowd, clock)
    this.#board = board
    this.#progress = showProgress(board, this.#context)
  }

  enter(phase: Phase): void {
    this.#board?.enter(phase)
  }

  /** All clients of this replica are ready, and the run has not ended. */
  isReady(): boolean {
    return this.#board?.isReady() ?? false
  }

  say(text: string): void {
    if (this.#progress === undefined) this.#context.stderr.write(`${text}\n`)
    else this.#progress.log('info', text)
  }

  /** What the main thread did since the last call. */
  mainThread(): Snapshot {
    return this.#share?.takeMainThread() ?? emptySnapshot()
  }

  /** Idempotent. */
  end(): void {
    this.#progress?.end()
    this.#progress = undefined
  }
}

/** A share with clients on threads of this process. */
export class StandingShare {
  readonly plan: Plan
  readonly crowd: Crowd
  readonly #clock: Clock
  readonly #watch: ThreadWatch
  readonly #startedUs: number
  #toldUs: number

  constructor(plan: Plan, crowd: Crowd, clock: Clock) {
    this.plan = plan
    this.crowd = crowd
    this.#clock = clock
    this.#startedUs = clock.nowUs()
    this.#toldUs = this.#startedUs
    this.#watch = new ThreadWatch({ clock, replica: plan.replica, thread: MAIN_THREAD, role: 'main' })
    this.#watch.start()
  }

  takeMainThread(): Snapshot {
    const fromUs = this.#toldUs
    this.#toldUs = this.#clock.nowUs()
    return { ...emptySnapshot(), fromUs, toUs: this.#toldUs, threads: [this.#watch.take()] }
  }

  /** Everything known here, as the result of a run whose end nobody else will tell. */
  cutShort(reason: FanfareError, log: PublisherLog): RunResult {
    return cutShort({
      plan: this.plan,
      reason,
      startedUs: this.#startedUs,
      endedUs: this.#clock.nowUs(),
      mainThread: this.#watch.take(),
      warnings: [],
      receivers: this.crowd.snapshot(),
      log,
      died: this.crowd.died,
    })
  }
}
