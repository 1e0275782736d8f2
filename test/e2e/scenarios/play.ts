/**
 * Plays one scenario: broker and target in this process, the tester in its own, real sockets between them. Afterwards it holds what
 * the tester says and what really happened; it compares nothing.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { type Broker, startBroker } from '../../../src/embedded/broker.ts'
import type { TruthEntry } from '../../../src/embedded/faults/truth-log.ts'
import { writeToken } from '../../../src/probe/codec.ts'
import type { Broadcast } from '../../../src/target/broadcast-log.ts'
import { startTarget, type Target } from '../../../src/target/target.ts'
import type { ClientTruth, TruthEvent } from '../../../src/target/truth.ts'
import { eventually } from '../../doubles/eventually.ts'
import type { RunFacts } from './run-facts.ts'
import { type Incident, MAX_FRAME_BYTES, type OtherProgram, type Scenario } from './scenario.ts'
import type { Tester } from './tester.ts'

export const RUN_ID = 'scenario'
export const STREAM = `public.${RUN_ID}`

/** What really happened, as those who did it wrote it down. */
export interface Truth {
  readonly clients: readonly ClientTruth[]
  readonly events: readonly TruthEvent[]
  readonly broadcasts: readonly Broadcast[]
  readonly broker: readonly TruthEntry[]
  /** INJECTOR=none: sent times by sequence. */
  readonly stampedUs: ReadonlyMap<number, number>
}

export interface Played {
  readonly scenario: Scenario
  readonly facts: RunFacts
  readonly truth: Truth
}

const CONSUMING_TIMEOUT_MS = 10_000
const LOOK_EVERY_MS = 2
/** An incident that waits for probes happens when none has come for this long. */
const STANDSTILL_MS = 700

/** Short waits, so that many scenarios fit in a minute; each is long beside what loopback takes. */
const settingsOf = ({ clients, probes, gapMs, settings, otherProgram }: Scenario, broker: Broker, target: Target) => ({
  RUN_ID,
  WS_POOL_SIZE: String(clients),
  // A path for each client, by which the truth log names it.
  WS_ADDR: Array.from({ length: clients }, (_, client) => `${target.url}${client}`).join(','),
  AMQP_ADDR: broker.url,
  MAX_FRAME_BYTES: String(MAX_FRAME_BYTES),
  QUIET_MS: '250',
  DRAIN_TIMEOUT_MS: '5000',
  CONNECT_TIMEOUT_MS: '600',
  READY_TIMEOUT_MS: '500',
  CANARY_TIMEOUT_MS: '700',
  AMQP_WAIT_MS: '1500',
  FIRST_PROBE_TIMEOUT_MS: '1500',
  ...settings,
  ...(otherProgram === undefined
    ? { MSG_COUNT: String(probes), MSG_DELAY: String(gapMs) }
    : { INJECTOR: 'none', ...(otherProgram.isCounted && { MSG_COUNT: String(countOf(otherProgram)) }) }),
})

/** What the other program would call its number of probes. */
const countOf = ({ sequences }: OtherProgram): number => Math.max(...sequences) + 1

export async function play(scenario: Scenario, tester: Tester): Promise<Played> {
  const broker = await startBroker()
  const target = await startTarget({ amqp: broker.url, reconnectMs: 30, habits: scenario.habits })
  const stampedUs = new Map<number, number>()
  const over = new AbortController()
  try {
    await target.whenConsuming(CONSUMING_TIMEOUT_MS)
    const incidents = scenario.incidents.map((incident) => happen(incident, { broker, target, tester, over: over.signal }))
    const other = otherProgramOf(scenario, target, stampedUs)
    const facts = await tester.run(settingsOf(scenario, broker, target), other.onPhase)
    over.abort()
    await Promise.all([...incidents, other.done()])
    await eventually(() => target.clientCount === 0, 'all connections have ended').catch((error: Error) => {
      const open = target.truth.clients().filter(({ closedUs }) => closedUs === undefined)
      throw new Error(`${error.message}: ${JSON.stringify(open)}`)
    })
    const { truth } = target
    return {
      scenario,
      facts,
      truth: {
        clients: truth.clients(),
        events: [...truth.events],
        broadcasts: [...truth.log.entries],
        broker: [...broker.truth],
        stampedUs,
      },
    }
  } finally {
    over.abort()
    await target.close()
    await broker.close()
  }
}

interface Scene {
  readonly broker: Broker
  readonly target: Target
  readonly tester: Tester
  /** The run has ended: nothing happens any more. */
  readonly over: AbortSignal
}

async function happen(incident: Incident, { broker, target, tester, over }: Scene): Promise<void> {
  if (!(await isDue(incident.afterProbes, target, over))) return
  switch (incident.what) {
    case 'deed':
      return await target.act(incident.deed)
    case 'pause':
      return await tester.pause(incident.ms)
    case 'interrupt':
      return tester.interrupt()
    case 'fault': {
      const { fault, clearMs } = incident
      broker.faults.inject(fault)
      if (clearMs === undefined) return
      await sleep(clearMs, undefined, { signal: over }).catch(() => undefined)
      if (fault.kind === 'alarm' || fault.kind === 'withhold-deliveries' || fault.kind === 'confirm-delay')
        broker.faults.inject({ kind: 'clear', of: fault.kind })
    }
  }
}

/** Waits for so many measured probes, or for a standstill after the first; false when the run is over before. */
async function isDue(afterProbes: number, { truth }: Target, over: AbortSignal): Promise<boolean> {
  let seen = 0
  let movedMs = performance.now()
  while (!over.aborted) {
    const probes = truth.log.entries.filter(({ probe }) => probe?.probeStream === 0).length
    if (probes > seen) movedMs = performance.now()
    seen = probes
    if (seen > afterProbes || (seen > 0 && performance.now() - movedMs > STANDSTILL_MS)) return true
    await sleep(LOOK_EVERY_MS)
  }
  return false
}

/** Publishes what the scenario says when the clients are ready, some of it before. */
function otherProgramOf({ otherProgram, gapMs }: Scenario, target: Target, stampedUs: Map<number, number>) {
  if (otherProgram === undefined) return { onPhase: () => undefined, done: async () => undefined }
  const { sequences, beforeReady } = otherProgram
  const publish = async (some: readonly number[]): Promise<void> => {
    for (const sequence of some) {
      const sentUs = stampedUs.get(sequence) ?? Math.round((performance.timeOrigin + performance.now()) * 1_000)
      stampedUs.set(sequence, sentUs)
      target.broadcast(STREAM, JSON.stringify({ probe: writeToken({ run: RUN_ID, stream: 0, sequence, intendedUs: sentUs, sentUs }) }))
      await sleep(gapMs)
    }
  }
  let publishing = Promise.resolve()
  return {
    onPhase(phase: string) {
      if (phase === 'ready') publishing = publishing.then(() => publish(sequences.slice(0, beforeReady)))
      if (phase === 'publish') publishing = publishing.then(() => publish(sequences.slice(beforeReady)))
    },
    done: () => publishing,
  }
}
