/**
 * The tester of the scenarios, in a process of its own: plays one run after the other, whole, with its threads and sockets, and tells
 * what each left behind. Ends with the process that forked it.
 */
import { startThreadCrowd } from '../../../src/clients/threads/thread-crowd.ts'
import { loadSettings } from '../../../src/config/load.ts'
import { makePlan, receiverThreads } from '../../../src/config/plan.ts'
import { describeError } from '../../../src/errors.ts'
import { RunClock } from '../../../src/measure/clock.ts'
import type { PublisherLog } from '../../../src/measure/publisher-log.ts'
import { ThreadWatch } from '../../../src/measure/thread-watch.ts'
import { buildReport } from '../../../src/report/build.ts'
import { ClockWatch } from '../../../src/run/clock-watch.ts'
import { run } from '../../../src/run/run.ts'
import { Interruption } from '../../../src/run/story.ts'
import { ThreadPublisher } from '../../../src/run/thread-publisher.ts'
import type { FromTester, RunFacts, ToTester } from './run-facts.ts'

const tell = (message: FromTester): void => void process.send?.(message)

let stop = new AbortController()

async function play(env: Readonly<Record<string, string>>): Promise<RunFacts> {
  stop = new AbortController()
  const { settings } = loadSettings({ env })
  const wallTime = new ClockWatch({ isStampedElsewhere: settings.injector === 'none' })
  const clock = new RunClock(wallTime.runClockOffsetUs)
  const plan = makePlan(settings, wallTime)
  const machine = { cores: 2, cpuQuota: undefined, clients: plan.roster.clients }
  const crowd = await startThreadCrowd(plan, { share: plan.roster, threads: receiverThreads(settings, machine), localPorts: undefined })
  const publisher = settings.injector === 'none' ? undefined : new ThreadPublisher(plan)
  const watch = new ThreadWatch({ clock, replica: 0, thread: -1, role: 'main' })
  const result = await run({
    plan,
    crowd,
    publisher,
    nowUs: () => clock.nowUs(),
    stop: stop.signal,
    mainThread: () => watch.take(),
    onPhase: (phase) => tell({ kind: 'phase', phase }),
    wallTime,
  })
  const { stopReason, drainEndedUs, failure, receivers, died, log } = result
  return {
    runId: plan.runId,
    stopReason,
    drainEndedUs,
    failure: failure?.code,
    receivers,
    publisher: result.publisher,
    died,
    log: copyOf(log),
    report: buildReport(result, '0.0.0'),
  }
}

/** Shared memory does not travel between processes. */
const copyOf = ({ streams }: PublisherLog): PublisherLog => ({
  streams: streams.map(({ sentUs, states, ...stream }) => ({
    ...stream,
    sentUs: Float64Array.from(sentUs),
    states: Uint8Array.from(states),
  })),
})

process.on('message', (message: ToTester) => {
  if (message.kind === 'interrupt') {
    stop.abort(new Interruption('SIGINT'))
    return
  }
  play(message.settings).then(
    (facts) => tell({ kind: 'ended', facts }),
    (error) => tell({ kind: 'failed', why: error instanceof Error ? String(error.stack) : describeError(error) }),
  )
})
process.once('disconnect', () => process.exit())
tell({ kind: 'listening' })
