/**
 * What is known about a run while it happens: its parts, the phase it is in, when things took place and what was noticed.
 * It takes no decisions; the steps do.
 */
import type { Crowd } from '../clients/crowd.ts'
import type { Plan } from '../config/plan.ts'
import { FanfareError } from '../errors.ts'
import type { ThreadHealth } from '../measure/snapshot.ts'
import type { ClockWatch } from './clock-watch.ts'
import type { Publisher } from './publisher.ts'
import type { Phase, ReplicaRow, StopReason, Warning } from './result.ts'
import { ownUsage, type Usage } from './usage.ts'

/** Why a run is interrupted from outside; the reason of the `stop` signal. */
export class Interruption {
  readonly signal: 'SIGINT' | 'SIGTERM'

  constructor(signal: 'SIGINT' | 'SIGTERM') {
    this.signal = signal
  }
}

export interface RunParts {
  readonly plan: Plan
  readonly crowd: Crowd
  /** undefined with INJECTOR=none. */
  readonly publisher: Publisher | undefined
  /** The run clock, microseconds since the epoch. */
  readonly nowUs: () => number
  /** Aborted with an `Interruption` to stop the run; a report is still made. */
  readonly stop: AbortSignal
  /** The main thread's own figures, for the self-check. */
  readonly mainThread: () => ThreadHealth
  readonly onPhase: (phase: Phase) => void
  /** What watching wall time has found so far. */
  readonly wallTime?: Pick<ClockWatch, 'epochBoundUs' | 'warnings'>
  /** When there are several processes: what each replica knows by itself. */
  readonly replicas?: () => readonly ReplicaRow[]
  /** What all processes of the run have used so far. Default: this one's. */
  readonly usage?: () => Usage
}

/** Ends the story early for a reason that is neither an error nor an interruption. */
class Stopped {
  readonly reason: StopReason

  constructor(reason: StopReason) {
    this.reason = reason
  }
}

export class Story {
  readonly parts: RunParts
  readonly startedUs: number
  readonly warnings: Warning[] = []
  phase: Phase = 'preflight'
  stopReason: StopReason | undefined
  failure: FanfareError | undefined
  interruption: Interruption | undefined
  publishEndedUs: number | undefined
  drainEndedUs: number | undefined
  readonly usedAtStart: Usage
  usedAtReady: Usage | undefined
  usedAtDrainEnd: Usage | undefined

  constructor(parts: RunParts) {
    this.parts = parts
    this.startedUs = parts.nowUs()
    this.usedAtStart = this.usage()
  }

  usage(): Usage {
    return this.parts.usage?.() ?? ownUsage()
  }

  enter(phase: Phase): void {
    this.phase = phase
    this.parts.onPhase(phase)
  }

  warn(code: string, text: string): void {
    this.warnings.push({ code, text })
  }

  /** Throws when the run was interrupted; steps call it after every wait. */
  throwIfInterrupted(): void {
    if (this.parts.stop.aborted) throw this.parts.stop.reason
  }

  /** Ends the run before its drain, with a reason of its own; the steps that follow are left out, the books are still settled. */
  stop(reason: StopReason): never {
    throw new Stopped(reason)
  }

  /** Books why the steps ended early. What is neither ours nor the world's doing is a fault and goes up. */
  endedBy(reason: unknown): void {
    if (reason instanceof Stopped) {
      this.stopReason = reason.reason
      return
    }
    if (reason instanceof Interruption) {
      this.interruption = reason
      this.stopReason = 'signal'
      return
    }
    if (reason instanceof FanfareError && reason.outcome === 'refused') {
      this.failure = reason
      this.stopReason = 'failed'
      return
    }
    throw reason
  }
}
