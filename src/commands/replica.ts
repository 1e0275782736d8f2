/**
 * `fanfare replica`: holds a share of the clients for a coordinator, and leaves after it. When the coordinator is lost, what this replica
 * knows is in a report of its own.
 */
import { hostname } from 'node:os'
import { Registry } from 'prom-client'
import type { SettingsRequest } from '../cli/arguments.ts'
import { type PartialCrowd, startThreadCrowd } from '../clients/threads/thread-crowd.ts'
import { type HoldOptions, Replica, type ReplicaEnd } from '../cluster/replica.ts'
import { type Plan, type RosterShare, receiverThreads } from '../config/plan.ts'
import type { SettingName, Settings } from '../config/settings.ts'
import { exitCodeOf, exitCodes } from '../exit-codes.ts'
import { startMetricsServer } from '../metrics/server.ts'
import { buildReport } from '../report/build.ts'
import { seedText } from '../report/console.ts'
import { examineMachine } from '../run/examine-machine.ts'
import { refuseIfImpossible } from '../run/preflight.ts'
import { readSystemFacts } from '../run/system-facts.ts'
import type { CommandContext } from './context.ts'
import { controlLineOf } from './control-line-of.ts'
import { loadRequest } from './load-request.ts'
import { present } from './present.ts'
import { ShareDisplay } from './share-display.ts'

export async function replicaCommand(request: SettingsRequest, context: CommandContext): Promise<number> {
  const { settings, sources } = loadRequest(request, context, { isReplicated: true })
  const given = (Object.keys(sources) as SettingName[]).filter((name) => !sources[name].endsWith('default'))
  const registry = new Registry()
  const display = new ShareDisplay(registry, context)
  const { metricsHost: host, metricsPort: port } = settings
  const server = await startMetricsServer({ host, port, registry, isReady: () => display.isReady() })
  context.stderr.write(`metrics at ${server.url}/metrics\n`)
  try {
    const end = await Replica.serve({
      settings,
      given,
      name: hostname(),
      version: context.version,
      line: controlLineOf(settings, 'replica'),
      hold: holdShare,
      onStanding: (plan, crowd) => display.begin(plan, crowd),
      mainThread: () => display.mainThread(),
      onPhase: (phase) => display.enter(phase),
      notice: (text) => display.say(text),
      stop: context.stop,
    })
    display.end()
    await tell(end, display, settings, context)
    return exitCodeOfEnd(end)
  } finally {
    display.end()
    await server.close()
  }
}

/** Throws what this machine lacks. */
async function holdShare(plan: Plan, share: RosterShare, options: HoldOptions): Promise<PartialCrowd> {
  const facts = readSystemFacts()
  refuseIfImpossible(await examineMachine(plan, share, facts))
  const threads = receiverThreads(plan.settings, { ...facts, clients: share.clients })
  return startThreadCrowd(plan, { share, threads, localPorts: facts.localPorts, ...options })
}

/** The seed tool's two figures of this replica; or, when nobody else will report, everything it knows. */
async function tell(end: ReplicaEnd, display: ShareDisplay, settings: Settings, context: CommandContext): Promise<void> {
  const failure = end.kind === 'interrupted' ? undefined : end.failure
  if (failure !== undefined) context.stderr.write(`fanfare: ${failure.message}\n`)
  if (display.share === undefined) return
  if (end.kind === 'abandoned') {
    const report = buildReport(display.share.cutShort(end.failure, end.log), context.version)
    await present(report, settings, context, { isJson: false, part: `replica-${display.share.plan.replica}` })
    return
  }
  const { measured, serviceLatencyUs } = display.share.crowd.snapshot()
  context.stdout.write(`${seedText(measured.delivered, serviceLatencyUs.mean)}\n`)
}

function exitCodeOfEnd(end: ReplicaEnd): number {
  if (end.kind === 'interrupted') return exitCodes[end.signal]
  return end.failure === undefined ? exitCodes.pass : exitCodeOf(end.failure)
}
