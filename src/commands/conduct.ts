/**
 * Conducts one run: settings become a plan, the plan parts, the parts a story, and its result what people and machines read. It
 * decides nothing: the exit code is the verdict's.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { makePlan, offeredLoad, type Plan } from '../config/plan.ts'
import type { Settings } from '../config/settings.ts'
import { FanfareError } from '../errors.ts'
import { RunClock } from '../measure/clock.ts'
import { MAIN_THREAD } from '../measure/snapshot.ts'
import { ThreadWatch } from '../measure/thread-watch.ts'
import { buildReport } from '../report/build.ts'
import { offeredText } from '../report/doctor.ts'
import { ClockWatch } from '../run/clock-watch.ts'
import { cutShort } from '../run/cut-short.ts'
import { examineMachine } from '../run/examine-machine.ts'
import { refuseIfImpossible } from '../run/preflight.ts'
import type { Phase, RunResult } from '../run/result.ts'
import { run } from '../run/run.ts'
import { readSystemFacts, type SystemFacts } from '../run/system-facts.ts'
import { ThreadPublisher } from '../run/thread-publisher.ts'
import { Board } from './board.ts'
import type { CommandContext } from './context.ts'
import { type Holder, ownThreads } from './holder.ts'
import { logOn } from './log.ts'
import { present } from './present.ts'
import { serveMetrics } from './serve-metrics.ts'
import { type Progress, showProgress } from './show-progress.ts'

export interface ConductOptions {
  /** The report on stdout and nothing else there. */
  readonly isJson: boolean
  /** What to do next, said at the end. */
  readonly nextSteps?: readonly string[]
  /** Who holds the clients. Default: this process. */
  readonly holder?: Holder
}

export async function conduct(settings: Settings, context: CommandContext, options: ConductOptions): Promise<number> {
  const { holder = ownThreads() } = options
  const wallTime = new ClockWatch({ isStampedElsewhere: settings.injector === 'none' })
  const clock = new RunClock(wallTime.runClockOffsetUs)
  const plan = makePlan(settings, wallTime)
  const facts = readSystemFacts()
  const findings = await examineMachine(plan, holder.ownShare(plan), facts)
  refuseIfImpossible(findings)
  const log = logOn(context.stderr, settings.logLevel)
  for (const { text } of findings.filter(({ state }) => state === 'warning')) log('warn', `preflight: ${text}`)

  const board = new Board(plan, clock)
  const metrics = await serveMetrics(board, holder.role, settings, context)
  const progress = showProgress(board, context)
  progress.log('info', `live page at ${metrics.url}/, metrics at ${metrics.url}/metrics`)
  let refusal: FanfareError | undefined
  try {
    const result = await perform({ holder, plan, facts, clock, wallTime, board, progress, context })
    progress.end()
    refusal = result.failure
    const report = buildReport(result, context.version)
    board.outcome = report.verdict.outcome
    await present(report, settings, context, options)
    await sleep(settings.lingerMs, undefined, { signal: context.stop }).catch(() => undefined)
    return report.verdict.exitCode
  } catch (error) {
    refusal = error instanceof FanfareError ? error : undefined
    throw error
  } finally {
    progress.end()
    await holder.release(refusal)
    await metrics.close()
  }
}

interface Performance {
  readonly holder: Holder
  readonly plan: Plan
  readonly facts: SystemFacts
  readonly clock: RunClock
  readonly wallTime: ClockWatch
  readonly board: Board
  readonly progress: Progress
  readonly context: CommandContext
}

/** From the clients' holder to the result. */
async function perform(performance: Performance): Promise<RunResult> {
  const { holder, plan, facts, clock, wallTime, board, progress, context } = performance
  const nowUs = (): number => clock.nowUs()
  const startedUs = nowUs()
  const watch = new ThreadWatch({ clock, replica: plan.replica, thread: MAIN_THREAD, role: 'main' })
  watch.start()
  wallTime.start()
  try {
    const { stop, version } = context
    const held = await holder
      .hold({ plan, facts, version, nowUs, stop, say: (text) => progress.log('info', text), enter: (phase) => board.enter(phase) })
      .catch((reason: unknown) => ({ reason }))
    if ('reason' in held) {
      return cutShort({ plan, reason: held.reason, startedUs, endedUs: nowUs(), mainThread: watch.take(), warnings: holder.warnings() })
    }
    progress.log('info', offeredText(offeredLoad(held.plan)))
    const publisher =
      plan.settings.injector === 'none' ? undefined : new ThreadPublisher(held.plan, { notice: (text, level) => progress.log(level, text) })
    board.plan = held.plan
    board.watch({ receivers: () => held.crowd.snapshot(), publisher: () => publisher?.snapshot() })
    const onPhase = (phase: Phase): void => {
      board.enter(phase)
      held.onPhase?.(phase)
    }
    const result = await run({ ...held, publisher, nowUs, stop, mainThread: () => watch.take(), onPhase, wallTime })
    return { ...result, warnings: [...holder.warnings(), ...result.warnings] }
  } finally {
    watch.stop()
    wallTime.stop()
  }
}
