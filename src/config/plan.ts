/**
 * The plan of a run: settings made concrete once (run id drawn, streams named, counts and pace fixed, the roster shared
 * out). Plain data; publisher, receiver threads and replicas all work from the same plan. It decides nothing at run time.
 */
import { randomInt } from 'node:crypto'
import { MS_PER_SECOND, msToUs, US_PER_SECOND } from '../units.ts'
import {
  CLIENTS_PER_THREAD,
  CONNECT_DEADLINE_BASE_MS,
  DEFAULT_MSG_COUNT,
  DEFAULT_MSG_DELAY_MS,
  type Settings,
  settingsTable,
} from './settings.ts'
import { fillTemplate, placeholdersIn } from './templates.ts'

/** Streams with these indices carry canary and warm-up probes; their tokens say `zzzz` and `zzzy` (base 36). */
export { CANARY_STREAM, WARMUP_STREAM } from '../probe/probe.ts'

const RUN_ID_ALPHABET = '0123456789abcdefghijklmnopqrstuvwxyz'
const RUN_ID_LENGTH = 8
/** Part of a slot; keeps 0.1 s × 30/s at 3 probes, whatever binary fractions say. */
const SLOT_TOLERANCE = 1e-6

/** One stream: what clients subscribe to and the routing key that reaches it. */
export interface StreamPlan {
  /** Written into tokens in base 36. */
  readonly index: number
  /** What clients subscribe to, e.g. `public.k3v9q2x1`. Canary and warm-up probes travel on every stream's name with their own index. */
  readonly name: string
  readonly routingKey: string
}

/** When probes are due. `closed`: MSG_DELAY=0, no slots; the next probe goes as soon as the injector takes it. */
export type PacePlan = { readonly kind: 'open'; readonly gapUs: number } | { readonly kind: 'closed' }

export interface PublishPlan {
  /** Probes per stream; undefined only with INJECTOR=none and no MSG_COUNT. */
  readonly countPerStream: number | undefined
  readonly pace: PacePlan
  readonly catchUp: 'burst' | 'skip'
}

/** A contiguous share of the roster. Client indices are unique over the whole run. */
export interface RosterShare {
  readonly firstClient: number
  readonly clients: number
}

/** One thread's clients. Sentinels are members of the roster on a thread of their own. */
export interface ThreadShare {
  readonly thread: number
  readonly role: 'crowd' | 'sentinels'
  /** Client indices, ascending. */
  readonly clients: readonly number[]
}

export interface Plan {
  readonly settings: Settings
  readonly runId: string
  /** Replicas are numbered from 1; 0 is the process that publishes: the coordinator, or the only one. */
  readonly replica: number
  readonly streams: readonly StreamPlan[]
  readonly publish: PublishPlan
  /** All clients of the run over all replicas. */
  readonly roster: RosterShare
  /** What each replica holds of the roster: the first has number 1. One entry for a run in one process. */
  readonly shares: readonly RosterShare[]
  /** Monotonic microseconds (CLOCK_MONOTONIC) to run-clock microseconds since the epoch; set by the coordinator once. */
  readonly runClockOffsetUs: number
}

/**
 * Which streams a client subscribes to. The n streams that may serve it are dealt out like cards, each round of n clients starting one
 * further: all have the same number of clients, and stream and target (client mod targets) stay independent. With STREAMS_PER_CLIENT a
 * client also has those that follow. STREAM_SCOPE=replica: only streams of its replica.
 */
export function streamsOfClient(plan: Pick<Plan, 'settings' | 'streams' | 'shares'>, client: number): readonly StreamPlan[] {
  const { settings, streams, shares } = plan
  if (streams.length === 1) return streams
  const { streams: perScope, streamsPerClient, streamScope } = settings
  const first = streamScope === 'replica' ? holderOf(shares, client) * perScope : 0
  const dealt = client + Math.floor(client / perScope)
  return Array.from({ length: streamsPerClient }, (_, offset) => streams[first + ((dealt + offset) % perScope)]!)
}

/** The index of the share that holds a client. Shares lie one behind the other. */
function holderOf(shares: readonly RosterShare[], client: number): number {
  let low = 0
  let high = shares.length - 1
  while (low < high) {
    const middle = (low + high) >>> 1
    const { firstClient, clients } = shares[middle]!
    if (client < firstClient + clients) high = middle
    else low = middle + 1
  }
  return low
}

/** What a plan needs beyond the settings. */
export interface PlanFacts {
  /** Anchor of the run clock; see `Plan.runClockOffsetUs`. */
  readonly runClockOffsetUs: number
  /** Wins over RUN_ID; a replica is told the coordinator's. */
  readonly runId?: string
  /** Which replica this process is; see `Plan.replica`. Default 0. */
  readonly replica?: number
  /** Clients of each replica, replica 1 first. Default: one process with WS_POOL_SIZE clients. */
  readonly clientsByReplica?: readonly number[]
}

/** Makes settings concrete. Pure apart from drawing a run id when neither the facts nor RUN_ID name one. */
export function makePlan(settings: Settings, facts: PlanFacts): Plan {
  const { replica = 0, clientsByReplica = [settings.wsPoolSize], runClockOffsetUs } = facts
  const runId = facts.runId ?? settings.runId ?? drawRunId()
  return {
    settings,
    runId,
    replica,
    streams: streamPlans(settings, runId, clientsByReplica.length),
    publish: publishPlan(settings),
    ...shareOut(clientsByReplica),
    runClockOffsetUs,
  }
}

/** Shares one behind the other, and the roster they make up. */
export function shareOut(clientsByReplica: readonly number[]): Pick<Plan, 'roster' | 'shares'> {
  let firstClient = 0
  const shares = clientsByReplica.map((clients) => {
    const share = { firstClient, clients }
    firstClient += clients
    return share
  })
  return { roster: { firstClient: 0, clients: firstClient }, shares }
}

/** CONNECT_DEADLINE_MS, or what the roster takes at CONNECT_RATE on top of two minutes. */
export const connectDeadlineMs = (settings: Settings, wantedClients: number): number =>
  settings.connectDeadlineMs ?? CONNECT_DEADLINE_BASE_MS + Math.ceil((wantedClients / settings.connectRate) * MS_PER_SECOND)

/** THREADS, or one for each CLIENTS_PER_THREAD clients as far as cores and quota go, one core left to the publisher. */
export const receiverThreads = (settings: Settings, machine: { cores: number; cpuQuota: number | undefined; clients: number }): number =>
  settings.threads ??
  Math.max(
    1,
    Math.min(
      machine.cores - 1,
      machine.cpuQuota === undefined ? Number.POSITIVE_INFINITY : Math.floor(machine.cpuQuota) - 1,
      Math.ceil(machine.clients / CLIENTS_PER_THREAD),
    ),
  )

/** Probes a second of one stream; undefined with a closed pace. */
export const streamRatePerSecond = (pace: PacePlan): number | undefined => (pace.kind === 'open' ? US_PER_SECOND / pace.gapUs : undefined)

/** What a run asks of its target, all clients together; undefined where pace or count are not known beforehand. */
export interface OfferedLoad {
  readonly deliveriesPerSecond: number | undefined
  readonly deliveries: number | undefined
}

/** The offered load: rate × subscriptions and probes per stream × subscriptions; a client has STREAMS_PER_CLIENT of them. */
export function offeredLoad({ settings, publish, roster }: Plan): OfferedLoad {
  const ratePerSecond = settings.injector === 'none' ? undefined : streamRatePerSecond(publish.pace)
  const subscriptions = roster.clients * settings.streamsPerClient
  return {
    deliveriesPerSecond: ratePerSecond === undefined ? undefined : ratePerSecond * subscriptions,
    deliveries: publish.countPerStream === undefined ? undefined : publish.countPerStream * subscriptions,
  }
}

/** The gap between probes: RATE, or MSG_DELAY. */
export function pacePlan({ rate, msgDelayMs }: Pick<Settings, 'rate' | 'msgDelayMs'>): PacePlan {
  if (rate !== undefined) return { kind: 'open', gapUs: US_PER_SECOND / rate }
  const delayMs = msgDelayMs ?? DEFAULT_MSG_DELAY_MS
  return delayMs === 0 ? { kind: 'closed' } : { kind: 'open', gapUs: msToUs(delayMs) }
}

/** Probes per stream: the slots that begin within DURATION, or MSG_COUNT. The loader refuses DURATION with a closed pace. */
export function countPerStream(
  settings: Pick<Settings, 'durationS' | 'rate' | 'msgDelayMs' | 'msgCount' | 'injector'>,
): number | undefined {
  const { durationS, msgCount, injector } = settings
  const pace = pacePlan(settings)
  if (durationS !== undefined && pace.kind === 'open')
    return Math.max(1, Math.ceil((durationS * US_PER_SECOND) / pace.gapUs - SLOT_TOLERANCE))
  if (msgCount !== undefined) return msgCount
  return injector === 'none' ? undefined : DEFAULT_MSG_COUNT
}

/** The highest sequence a token of the run will hold; warm-up probes are numbered through all streams. */
export const lastSequence = (settings: Parameters<typeof countPerStream>[0] & Pick<Settings, 'warmupCount' | 'streams'>): number =>
  Math.max(countPerStream(settings) ?? 1, settings.warmupCount * settings.streams, settings.streams) - 1

const publishPlan = (settings: Settings): PublishPlan => ({
  countPerStream: countPerStream(settings),
  pace: pacePlan(settings),
  catchUp: settings.catchUp,
})

/** STREAMS streams for all, or as many for each replica, replica 1's first (STREAM_SCOPE); numbered through. */
function streamPlans(settings: Settings, runId: string, replicas: number): StreamPlan[] {
  const streams = settings.streams * (settings.streamScope === 'replica' ? replicas : 1)
  return Array.from({ length: streams }, (_, index) => streamPlan(settings, runId, index))
}

/** Names and routing key of one stream; `{{replica}}` is the number of the replica whose own it is. */
export function streamPlan(settings: Settings, runId: string, index: number): StreamPlan {
  const replica = settings.streamScope === 'replica' ? Math.floor(index / settings.streams) + 1 : 0
  const name = fillTemplate(streamTemplate(settings), { run: runId, index, stream: index, replica })
  return { index, name, routingKey: fillTemplate(settings.amqpRoutingKey, { stream: name, run: runId, index, replica }) }
}

/** STREAM; its default tells streams apart by itself when there are several. */
function streamTemplate(settings: Settings): string {
  if (settings.stream !== settingsTable.stream.default || tellsStreamsApart(settings)) return settings.stream
  return `${settings.stream}-${settings.streamScope === 'replica' && settings.streams === 1 ? '{{replica}}' : '{{index}}'}`
}

/** Whether the template STREAM gives every stream of the run a name of its own. */
export function tellsStreamsApart({ stream, streams, streamScope }: Settings): boolean {
  const names = placeholdersIn(stream)
  if (names.includes('index') || names.includes('stream')) return true
  return streams === 1 && (streamScope === 'shared' || names.includes('replica'))
}

const drawRunId = (): string => Array.from({ length: RUN_ID_LENGTH }, () => RUN_ID_ALPHABET[randomInt(RUN_ID_ALPHABET.length)]).join('')
