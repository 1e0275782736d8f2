/**
 * Registers the metrics of a process with a prom-client registry that it is given. Each is an object whose `get()` reads the run's
 * state when a scrape asks: nothing is observed beforehand, and nothing here is called per delivery.
 */
import type { Metric, Registry } from 'prom-client'
import type { ThreadHealth } from '../measure/snapshot.ts'
import type { VerdictOutcome } from '../report/verdict.ts'
import type { RunState } from '../run/result.ts'
import { type MetricName, type MetricOwner, metricNames, metricRow } from './names.ts'
import { readers, type ScrapeFacts } from './values.ts'

/** A run in one process, or one side of a run with replicas. */
export type MetricsRole = 'run' | 'replica' | 'coordinator'

export interface MetricsSource {
  state(): RunState
  /** undefined until the verdict is decided. */
  outcome(): VerdictOutcome | undefined
  /** Of fanfare. */
  readonly version: string
}

const ownersByRole: Readonly<Record<MetricsRole, readonly MetricOwner[]>> = {
  run: ['every', 'receivers', 'publisher', 'verdict'],
  replica: ['every', 'receivers'],
  coordinator: ['every', 'publisher', 'verdict'],
}
const threadRolesByRole: Readonly<Record<MetricsRole, readonly ThreadHealth['role'][]>> = {
  run: ['crowd', 'sentinels', 'publisher'],
  replica: ['crowd', 'sentinels'],
  coordinator: ['publisher'],
}

export function registerMetrics(registry: Registry, role: MetricsRole, source: MetricsSource): void {
  registry.setDefaultLabels({ replica: role === 'coordinator' ? role : String(source.state().plan.replica) })
  for (const name of metricNames) {
    if (ownersByRole[role].includes(metricRow(name).owner)) registry.registerMetric(scraped(name, () => scrapeFacts(role, source)))
  }
}

/** prom-client takes anything with `get()`; its type only names its own classes. */
function scraped(name: MetricName, facts: () => ScrapeFacts): Metric {
  const { type, help } = metricRow(name)
  const metric = { name, help, type, get: async () => ({ name, help, type, aggregator: 'sum', values: readers[name](facts(), name) }) }
  return metric as unknown as Metric
}

function scrapeFacts(role: MetricsRole, source: MetricsSource): ScrapeFacts {
  const state = source.state()
  const threadRoles = threadRolesByRole[role]
  const threads = [...state.receivers.threads, ...(state.publisher === undefined ? [] : [state.publisher.thread])]
  return {
    state,
    outcome: source.outcome(),
    version: source.version,
    threads: threads.filter((thread) => threadRoles.includes(thread.role)),
    threadRoles,
  }
}
