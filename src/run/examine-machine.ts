/**
 * Asks the machine what `preflight.ts` needs to know about a plan. A thin doer: it reads and binds, and decides nothing.
 */
import { type Plan, type RosterShare, receiverThreads } from '../config/plan.ts'
import { demandOf } from './demand.ts'
import { type Finding, preflight } from './preflight.ts'
import { readSystemFacts, reportDirProblem, type SystemFacts, unusableAddresses } from './system-facts.ts'

/** The findings about `share` of the plan on this machine. Nothing is dialed, nothing is created. */
export async function examineMachine(plan: Plan, share: RosterShare, facts: SystemFacts = readSystemFacts()): Promise<Finding[]> {
  const { settings } = plan
  const crowdThreads = receiverThreads(settings, { ...facts, clients: share.clients })
  const sentinelThreads = settings.sentinels > 0 ? 1 : 0
  return preflight(demandOf(plan, share, crowdThreads + sentinelThreads), facts, {
    reportDir: reportDirProblem(settings.reportDir),
    sourceAddresses: await unusableAddresses(settings.sourceAddresses),
  })
}
