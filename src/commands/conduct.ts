/**
 * Conducts one run in this process: settings become a plan, the plan parts, the parts a story, and its result what people and
 * machines read. It decides nothing: the exit code is the verdict's.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { Registry } from 'prom-client'
import { startThreadCrowd } from '../clients/threads/thread-crowd.ts'
import { makePlan, offeredLoad, receiverThreads } from '../config/plan.ts'
import type { Settings } from '../config/settings.ts'
import { RunClock } from '../measure/clock.ts'
import { MAIN_THREAD } from '../measure/snapshot.ts'
import { ThreadWatch } from '../measure/thread-watch.ts'
import { registerMetrics } from '../metrics/registry.ts'
import { type MetricsServer, startMetricsServer } from '../metrics/server.ts'
import { buildReport } from '../report/build.ts'
import { offeredText } from '../report/doctor.ts'
import { LiveFeed } from '../report/live-page/live-feed.ts'
import { livePage, pageOf } from '../report/live-page/live-page.ts'
import { ClockWatch } from '../run/clock-watch.ts'
import { examineMachine } from '../run/examine-machine.ts'
import { refuseIfImpossible } from '../run/preflight.ts'
import { run } from '../run/run.ts'
import { readSystemFacts } from '../run/system-facts.ts'
import { ThreadPublisher } from '../run/thread-publisher.ts'
import { Board } from './board.ts'
import type { CommandContext } from './context.ts'
import { logOn } from './log.ts'
import { present } from './present.ts'
import { showProgress } from './show-progress.ts'

export interface ConductOptions {
  /** The report on stdout and nothing else there. */
  readonly isJson: boolean
  /** What to do next, said at the end. */
  readonly nextSteps?: readonly string[]
}

export async function conduct(settings: Settings, context: CommandContext, options: ConductOptions): Promise<number> {
  const wallTime = new ClockWatch({ isStampedElsewhere: settings.injector === 'none' })
  const clock = new RunClock(wallTime.runClockOffsetUs)
  const plan = makePlan(settings, wallTime)
  const facts = readSystemFacts()
  const findings = await examineMachine(plan, plan.roster, facts)
  refuseIfImpossible(findings)
  const log = logOn(context.stderr, settings.logLevel)
  for (const { text } of findings.filter(({ state }) => state === 'warning')) log('warn', `preflight: ${text}`)
  log('info', offeredText(offeredLoad(plan)))

  const board = new Board(plan, clock)
  const metrics = await serveMetrics(board, settings, context)
  const progress = showProgress(board, context)
  const threads: { close(): Promise<unknown> }[] = []
  try {
    progress.log('info', `live page at ${metrics.url}/, metrics at ${metrics.url}/metrics`)
    const crowd = await startThreadCrowd(plan, {
      share: plan.roster,
      threads: receiverThreads(settings, { ...facts, clients: plan.roster.clients }),
      localPorts: facts.localPorts,
    })
    threads.push(crowd)
    const publisher =
      settings.injector === 'none' ? undefined : new ThreadPublisher(plan, { notice: (text, level) => progress.log(level, text) })
    if (publisher !== undefined) threads.push(publisher)
    const watch = new ThreadWatch({ clock, replica: plan.replica, thread: MAIN_THREAD, role: 'main' })
    board.watch({ receivers: () => crowd.snapshot(), publisher: () => publisher?.snapshot() })
    watch.start()
    wallTime.start()
    const result = await run({
      plan,
      crowd,
      publisher,
      nowUs: () => clock.nowUs(),
      stop: context.stop,
      mainThread: () => watch.take(),
      onPhase: (phase) => board.enter(phase),
      wallTime,
    })
    watch.stop()
    wallTime.stop()
    progress.end()

    const report = buildReport(result, context.version)
    board.outcome = report.verdict.outcome
    await present(report, settings, context, options)
    await sleep(settings.lingerMs, undefined, { signal: context.stop }).catch(() => undefined)
    return report.verdict.exitCode
  } finally {
    progress.end()
    // A run closes them itself; a fault on its way leaves that to us, and a thread that lives on would keep the process.
    await Promise.all(threads.map((thread) => thread.close()))
    await metrics.close()
  }
}

/** Metrics and the live page on one port. */
async function serveMetrics(
  board: Board,
  { metricsHost, metricsPort }: Settings,
  { version }: CommandContext,
): Promise<Pick<MetricsServer, 'url' | 'close'>> {
  const registry = new Registry()
  registerMetrics(registry, 'run', { state: () => board.state(), outcome: () => board.outcome, version })
  const feed = new LiveFeed({ state: () => board.state(), nowUs: () => board.nowUs(), outcome: () => board.outcome })
  const server = await startMetricsServer({
    host: metricsHost,
    port: metricsPort,
    registry,
    isReady: () => board.isReady(),
    pages: { '/': pageOf(livePage(board.state().plan, version)), '/events': feed.page },
  })
  return {
    url: server.url,
    close: () => {
      feed.close()
      return server.close()
    },
  }
}
