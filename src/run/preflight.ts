/**
 * Preflight: can this process on this machine hold its share of the roster? Pure deciders, one per resource, over facts that
 * `system-facts.ts` gathered. Each says what is needed, what there is, and how to get more; nothing is dialed before all
 * have been asked. The estimates are on the high side and their parts stand below as constants.
 */
import { addressRange } from '../config/addresses.ts'
import { type ErrorCode, FanfareError } from '../errors.ts'
import { BYTES_PER_KB, BYTES_PER_MB } from '../units.ts'
import type { Demand } from './demand.ts'
import type { SystemFacts } from './system-facts.ts'

/** Descriptors for the broker's and control connections, metrics and its scrapes, logs, the report. */
const SPARE_DESCRIPTORS = 64
/** Measured on Node 20: an event loop of its own opens four. */
const DESCRIPTORS_PER_THREAD = 4
/** The process with its code loaded, before anything is asked of it. */
const BASE_BYTES = 120 * BYTES_PER_MB
/** A thread's heap, buffers and histograms. */
const BYTES_PER_THREAD = 40 * BYTES_PER_MB
/** A socket in the kernel, one end; measured over 100,000 loopback connections. */
const KERNEL_BYTES_PER_CLIENT = 5 * BYTES_PER_KB
/** Measured for idle, ready clients; the fast engine's is a promise of its benchmark. */
const ENGINE_BYTES_PER_CLIENT = { fast: 5 * BYTES_PER_KB, ws: 12 * BYTES_PER_KB } as const
/** OpenSSL's buffers and session; an estimate. */
const TLS_BYTES_PER_CLIENT = 40 * BYTES_PER_KB
/** The publisher's log (9) and, in every receiver thread, a fan-out row (six doubles). */
const LOG_BYTES_PER_PROBE = 9
const FANOUT_BYTES_PER_PROBE = 48

export type Resource =
  | 'descriptors'
  | 'ports'
  | 'source addresses'
  | 'memory'
  | 'report folder'
  | 'cores'
  | 'backlog'
  | 'conntrack'
  | 'time-wait'
export type FindingState = 'ok' | 'warning' | 'refused' | 'unknown'

/** What was found out about one resource. */
export interface Finding {
  readonly resource: Resource
  readonly state: FindingState
  /** What the run needs and what there is, as people read it. */
  readonly needed: string
  readonly there: string
  /** A sentence with the remedy; empty when all is well. */
  readonly text: string
  /** Present when refused. */
  readonly code?: ErrorCode
}

/** What the reader found out beyond `SystemFacts`, because it depends on the plan. */
export interface PlanProblems {
  /** Why reports cannot be written. */
  readonly reportDir: string | undefined
  readonly sourceAddresses: readonly { readonly address: string; readonly why: string }[]
}

/** All findings, in the order they are printed. */
export const preflight = (demand: Demand, facts: SystemFacts, problems: PlanProblems): Finding[] => [
  decideDescriptors(demand, facts),
  decidePorts(demand, facts),
  ...decideSources(problems),
  decideMemory(demand, facts),
  decideReportDir(problems),
  decideCores(demand, facts),
  decideBacklog(demand, facts),
  decideConntrack(demand, facts),
  decideTimeWait(demand, facts),
]

/** Throws when a finding refuses the run: the first one's code, every one's sentence. */
export function refuseIfImpossible(findings: readonly Finding[]): void {
  const refused = findings.filter((finding) => finding.state === 'refused')
  if (refused.length === 0) return
  throw new FanfareError(refused[0]!.code!, refused.map((finding) => finding.text).join('\n'))
}

export function decideDescriptors(demand: Demand, { descriptors }: SystemFacts): Finding {
  const threads = demand.receiverThreads + (demand.hasPublisher ? 1 : 0)
  const needed = (descriptors?.open ?? 0) + demand.clients + threads * DESCRIPTORS_PER_THREAD + SPARE_DESCRIPTORS
  const finding = { resource: 'descriptors', needed: digits(needed), there: shown(descriptors?.soft) } as const
  if (descriptors === undefined) return { ...finding, state: 'unknown', text: '' }
  if (descriptors.soft >= needed) return { ...finding, state: 'ok', text: '' }
  return {
    ...finding,
    state: 'refused',
    code: 'preflight-descriptors',
    text:
      `Expected a limit of at least ${digits(needed)} open files for ${digits(demand.clients)} clients, got ${digits(descriptors.soft)}. ` +
      `Raise it (ulimit -n ${needed}; in compose ulimits: { nofile: { soft: ${needed}, hard: ${needed} } }), or give this process ` +
      `at most ${digits(Math.max(0, descriptors.soft - (needed - demand.clients)))} clients (WS_POOL_SIZE) and start more replicas.`,
  }
}

/** A port can be used once per pair of source address and target address; the fullest pair counts. */
export function decidePorts(demand: Demand, { localPorts }: SystemFacts): Finding {
  const [target, clients] = [...demand.clientsByTarget].reduce((fullest, entry) => (entry[1] > fullest[1] ? entry : fullest))
  const needed = Math.ceil(clients / demand.sources)
  const there = localPorts === undefined ? undefined : localPorts.last - localPorts.first + 1
  const finding = { resource: 'ports', needed: digits(needed), there: shown(there) } as const
  if (there === undefined) return { ...finding, state: 'unknown', text: '' }
  if (there >= needed) return { ...finding, state: 'ok', text: '' }
  const sources = Math.ceil(clients / there)
  return {
    ...finding,
    state: 'refused',
    code: 'preflight-ports',
    text:
      `Expected at least ${digits(needed)} local ports towards ${target}, got ${digits(there)} (${localPorts!.first} to ${localPorts!.last}). ` +
      `Dial from ${sources} addresses (SOURCE_ADDRESSES=${addressRange('127.0.0.2', sources)} if the target is on this machine), list more targets in ` +
      'WS_ADDR, or widen the range (sysctl -w net.ipv4.ip_local_port_range="1024 65535"; in compose sysctls: ' +
      '{ net.ipv4.ip_local_port_range: "1024 65535" }).',
  }
}

export const decideSources = ({ sourceAddresses }: PlanProblems): Finding[] =>
  sourceAddresses.map(({ address, why }) => ({
    resource: 'source addresses',
    state: 'refused',
    needed: address,
    there: why,
    code: 'preflight-ports',
    text: `Expected ${address} (SOURCE_ADDRESSES) to be an address of this machine, got ${why} when binding it. Add it to an interface (ip address add ${address}/32 dev lo).`,
  }))

export function decideMemory(demand: Demand, { memory }: SystemFacts): Finding {
  const needed = memoryNeededBytes(demand)
  const finding = {
    resource: 'memory',
    needed: megabytes(needed),
    there: memory === undefined ? UNSEEN : megabytes(memory.availableBytes),
  } as const
  if (memory === undefined) return { ...finding, state: 'unknown', text: '' }
  if (memory.availableBytes >= needed) return { ...finding, state: 'ok', text: '' }
  const remedy = memory.limitedBy === 'container' ? 'Raise the limit (in compose mem_limit), or' : 'Free some, or'
  const fewer = bytesOfProbes(demand) > bytesOfClients(demand) ? 'probes (MSG_COUNT, DURATION)' : 'clients (WS_POOL_SIZE)'
  return {
    ...finding,
    state: 'refused',
    code: 'preflight-memory',
    text:
      `Expected about ${megabytes(needed)} of memory for ${digits(demand.clients)} clients${demand.probes > 0 ? ` and ${digits(demand.probes)} probes` : ''}, ` +
      `got ${megabytes(memory.availableBytes)} (what the ${memory.limitedBy} has left). ${remedy} ask for fewer ${fewer} on this machine.`,
  }
}

export const memoryNeededBytes = (demand: Demand): number =>
  BASE_BYTES + demand.receiverThreads * BYTES_PER_THREAD + bytesOfClients(demand) + bytesOfProbes(demand)

const bytesOfClients = ({ clients, engine, isTls }: Demand): number =>
  clients * (KERNEL_BYTES_PER_CLIENT + ENGINE_BYTES_PER_CLIENT[engine] + (isTls ? TLS_BYTES_PER_CLIENT : 0))

const bytesOfProbes = ({ probes, receiverThreads }: Demand): number =>
  probes * (LOG_BYTES_PER_PROBE + receiverThreads * FANOUT_BYTES_PER_PROBE)

export function decideReportDir({ reportDir }: PlanProblems): Finding {
  const finding = { resource: 'report folder', needed: 'writable' } as const
  if (reportDir === undefined) return { ...finding, there: 'writable', state: 'ok', text: '' }
  return {
    ...finding,
    there: 'not writable',
    state: 'refused',
    code: 'preflight-report-dir',
    text: `Expected a folder that can be written (REPORT_DIR), got ${reportDir}.`,
  }
}

export function decideCores({ receiverThreads, hasPublisher }: Demand, { cores, cpuQuota }: SystemFacts): Finding {
  const threads = receiverThreads + (hasPublisher ? 1 : 0)
  const there = Math.min(cores, cpuQuota ?? cores)
  const finding = { resource: 'cores', needed: `2 for ${threads} threads`, there: String(Number(there.toFixed(1))) } as const
  if (there >= 2) return { ...finding, state: 'ok', text: '' }
  return {
    ...finding,
    state: 'warning',
    text: `Publisher and receivers share ${finding.there} core(s): the tester itself may become the limit, and the verdict will say so.`,
  }
}

export function decideBacklog({ connectConcurrency }: Demand, { listenBacklog }: SystemFacts): Finding {
  const finding = { resource: 'backlog', needed: digits(connectConcurrency), there: shown(listenBacklog) } as const
  if (listenBacklog === undefined) return { ...finding, state: 'unknown', text: '' }
  if (listenBacklog >= connectConcurrency) return { ...finding, state: 'ok', text: '' }
  return {
    ...finding,
    state: 'warning',
    text:
      `A target on this machine queues at most ${digits(listenBacklog)} connections while ${digits(connectConcurrency)} are dialed at a time: ` +
      `lower CONNECT_CONCURRENCY or raise net.core.somaxconn.`,
  }
}

export function decideConntrack({ clients }: Demand, { trackedConnections }: SystemFacts): Finding {
  const free = trackedConnections === undefined ? undefined : trackedConnections.max - trackedConnections.now
  const finding = { resource: 'conntrack', needed: digits(clients), there: shown(free) } as const
  if (free === undefined) return { ...finding, state: 'unknown', text: '' }
  if (free >= clients) return { ...finding, state: 'ok', text: '' }
  return {
    ...finding,
    state: 'warning',
    text: `The firewall tracks at most ${digits(free)} more connections and may drop others: raise net.netfilter.nf_conntrack_max.`,
  }
}

export function decideTimeWait({ clients, sources, clientsByTarget }: Demand, { timeWaitSockets, localPorts }: SystemFacts): Finding {
  const ports = localPorts === undefined ? undefined : localPorts.last - localPorts.first + 1
  const spare = ports === undefined ? undefined : ports * sources * clientsByTarget.size - clients
  const finding = { resource: 'time-wait', needed: `at most ${shown(spare)}`, there: shown(timeWaitSockets) } as const
  if (timeWaitSockets === undefined || spare === undefined) return { ...finding, state: 'unknown', text: '' }
  if (timeWaitSockets <= spare) return { ...finding, state: 'ok', text: '' }
  return {
    ...finding,
    state: 'warning',
    text: `${digits(timeWaitSockets)} connections are in TIME_WAIT; their ports may be busy for up to a minute, and dials are then retried on others.`,
  }
}

const UNSEEN = 'not visible'

const digits = (value: number): string => value.toLocaleString('en-US')

function shown(value: number | undefined): string {
  if (value === undefined) return UNSEEN
  return Number.isFinite(value) ? digits(value) : 'unlimited'
}

const megabytes = (bytes: number): string => `${digits(Math.ceil(bytes / BYTES_PER_MB))} MB`
