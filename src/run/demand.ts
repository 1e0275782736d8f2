/**
 * What a planned run asks of this process: clients, threads, addresses. Pure arithmetic over the plan; whether the machine can
 * give it is decided in `preflight.ts`.
 */
import type { Plan, RosterShare } from '../config/plan.ts'

/** What the planned run asks of this process. */
export interface Demand {
  readonly clients: number
  /** Crowd and sentinels. */
  readonly receiverThreads: number
  /** Clients that go to each target address (host and port), by address. */
  readonly clientsByTarget: ReadonlyMap<string, number>
  /** Local addresses to dial from; 1 when the kernel chooses. */
  readonly sources: number
  readonly engine: 'fast' | 'ws'
  readonly isTls: boolean
  readonly probes: number
  readonly connectConcurrency: number
  readonly hasPublisher: boolean
}

/** @param receiverThreads crowd and sentinels */
export function demandOf(plan: Plan, share: RosterShare, receiverThreads: number): Demand {
  const { settings } = plan
  const isTls = settings.wsAddr.some((url) => url.startsWith('wss:'))
  return {
    clients: share.clients,
    receiverThreads,
    clientsByTarget: clientsByTarget(settings.wsAddr, share),
    sources: Math.max(1, settings.sourceAddresses.length),
    engine: isTls || settings.compression ? 'ws' : settings.engine,
    isTls,
    probes: (plan.publish.countPerStream ?? 0) * plan.streams.length,
    connectConcurrency: settings.connectConcurrency,
    hasPublisher: settings.injector !== 'none',
  }
}

/** Clients are dealt out to targets in turn; entries with one host and port are one address. */
function clientsByTarget(targets: readonly string[], { firstClient, clients }: RosterShare): Map<string, number> {
  const byAddress = new Map<string, number>()
  targets.forEach((target, index) => {
    const firstOfTarget = (index - (firstClient % targets.length) + targets.length) % targets.length
    const share = Math.max(0, Math.ceil((clients - firstOfTarget) / targets.length))
    const address = addressOf(target)
    byAddress.set(address, (byAddress.get(address) ?? 0) + share)
  })
  return byAddress
}

function addressOf(target: string): string {
  const url = new URL(target)
  return `${url.hostname}:${url.port || (url.protocol === 'wss:' ? '443' : '80')}`
}
