/**
 * The crowd of one process: the roster's share on receiver threads, their snapshots added up. Threads that die are named, and
 * their books are closed as unaccounted. It knows nothing of sockets; those live on the threads.
 */
import type { Plan, RosterShare } from '../../config/plan.ts'
import { type Clock, RunClock } from '../../measure/clock.ts'
import { type HeardProbes, mergeHeard, owedProbes, undecidedSequences } from '../../measure/owed.ts'
import type { PublisherLog } from '../../measure/publisher-log.ts'
import type { Snapshot } from '../../measure/snapshot.ts'
import { emptySnapshot, mergeSnapshots } from '../../measure/snapshot-merge.ts'
import { SnapshotTotal } from '../../measure/snapshot-total.ts'
import { SteeredClock } from '../../measure/steered-clock.ts'
import { checkDialect } from '../check-dialect.ts'
import type { Crowd } from '../crowd.ts'
import { type PortRange, slicePorts, USUAL_LOCAL_PORTS } from '../dialing/local-ports.ts'
import { readTlsMaterial } from '../engines/tls-material.ts'
import { correctionAtDeath, correctionOfBooks } from './dead-thread.ts'
import { shareRoster } from './share-roster.ts'
import { type Ask, ThreadHandle, type ThreadListener } from './thread-handle.ts'
import type { ThreadBirth } from './thread-messages.ts'

export interface ThreadCrowdOptions {
  /** The part of the roster that this process holds. */
  readonly share: RosterShare
  /** Threads for the crowd; sentinels get one more. */
  readonly threads: number
  /** The machine's ports for outgoing connections; undefined: the usual ones. */
  readonly localPorts: PortRange | undefined
  /** Shared memory; given when the run clock is another machine's (measure/steered-clock.ts). */
  readonly clockCorrectionUs?: Float64Array
  /** Hears what happened since its last call, from any thread. The sum of all calls is the crowd's snapshot. */
  readonly onSnapshot?: (snapshot: Snapshot) => void
}

/** A crowd of which other processes hold parts as well. */
export interface PartialCrowd extends Crowd {
  /** @param startUs when the first client is dialed, run clock; the same for all parts */
  connect(startUs?: number): void
  /** Probes of the log without a confirm that anybody here has heard. */
  heard(log: PublisherLog): Promise<HeardProbes>
  /** @param heardElsewhere such probes that other parts have heard */
  expect(log: PublisherLog, heardElsewhere?: HeardProbes): Promise<Snapshot>
  settle(log: PublisherLog, drainEndedUs: number, heardElsewhere?: HeardProbes): Promise<Snapshot>
}

/**
 * Starts the receiver threads; nothing is dialed before `connect`. Rejects with `settings-invalid` when dialect or TLS settings make
 * no sense, and with a fault when a thread cannot start.
 */
export async function startThreadCrowd(plan: Plan, options: ThreadCrowdOptions): Promise<PartialCrowd> {
  checkDialect(plan)
  readTlsMaterial(plan.settings)
  const crowd = new ThreadCrowd(plan, birthsOf(plan, options), options)
  await crowd.started()
  return crowd
}

/** Who sits where, and with which local ports. */
function birthsOf(plan: Plan, options: ThreadCrowdOptions): ThreadBirth[] {
  const { share, threads, localPorts = USUAL_LOCAL_PORTS, clockCorrectionUs } = options
  const { sentinels, wsAddr } = plan.settings
  let before = 0
  return shareRoster({ roster: plan.roster, share, threads, sentinels, targets: wsAddr.length }).map((own) => {
    const ports = slicePorts(localPorts, { before, own: own.clients.length, total: share.clients })
    before += own.clients.length
    return { plan, roster: share, share: own, ports, clockCorrectionUs }
  })
}

class ThreadCrowd implements PartialCrowd, ThreadListener {
  readonly died: string[] = []
  readonly #plan: Plan
  readonly #clock: Clock
  readonly #tell: (snapshot: Snapshot) => void
  readonly #threads: readonly ThreadHandle[]
  /** What each thread has told about its clients; only read when it dies. */
  readonly #known = new Map<ThreadHandle, Snapshot>()
  readonly #total = new SnapshotTotal()
  #closing: Promise<Snapshot> | undefined

  constructor(plan: Plan, births: readonly ThreadBirth[], { clockCorrectionUs, onSnapshot = () => undefined }: ThreadCrowdOptions) {
    const ownClock = new RunClock(plan.runClockOffsetUs)
    this.#plan = plan
    this.#clock = clockCorrectionUs === undefined ? ownClock : new SteeredClock(ownClock, clockCorrectionUs)
    this.#tell = onSnapshot
    this.#threads = births.map((birth) => new ThreadHandle(birth, this))
  }

  async started(): Promise<void> {
    try {
      await Promise.all(this.#threads.map((thread) => thread.started()))
    } catch (error) {
      await Promise.all(this.#threads.map((thread) => thread.terminate()))
      throw error
    }
  }

  connect(startUs = this.#clock.nowUs()): void {
    for (const thread of this.#threads) thread.tell({ kind: 'connect', startUs })
  }

  stopConnecting(): void {
    for (const thread of this.#threads) thread.tell({ kind: 'stop-connecting' })
  }

  snapshot(): Snapshot {
    return this.#total.read()
  }

  async refresh(): Promise<Snapshot> {
    await this.#askAll({ kind: 'refresh' })
    return this.#total.read()
  }

  async heard(log: PublisherLog): Promise<HeardProbes> {
    const isDecided = log.streams.every((stream) => undecidedSequences(stream).next().done)
    // Mostly there is nothing to ask.
    if (isDecided) return []
    const answers = await Promise.all(this.#threads.map((thread) => thread.ask({ kind: 'hear', log })))
    return mergeHeard(...answers.map((answer) => answer?.heard ?? []))
  }

  async expect(log: PublisherLog, heardElsewhere: HeardProbes = []): Promise<Snapshot> {
    const heard = mergeHeard(await this.heard(log), heardElsewhere)
    await this.#askAll({ kind: 'expect', log, heard })
    this.#correctTheDead(log, heard)
    return this.#total.read()
  }

  async settle(log: PublisherLog, drainEndedUs: number, heardElsewhere: HeardProbes = []): Promise<Snapshot> {
    const heard = mergeHeard(await this.heard(log), heardElsewhere)
    await this.#askAll({ kind: 'settle', log, heard, drainEndedUs })
    this.#correctTheDead(log, heard)
    return this.#total.read()
  }

  close(): Promise<Snapshot> {
    this.#closing ??= Promise.all(this.#threads.map((thread) => thread.leave())).then(() => this.#total.read())
    return this.#closing
  }

  onSnapshot(thread: ThreadHandle, snapshot: Snapshot): void {
    const { fromUs, toUs, clients, measured, readyClients } = snapshot
    this.#known.set(thread, mergeSnapshots(this.#knownOf(thread), { ...emptySnapshot(), fromUs, toUs, clients, measured, readyClients }))
    this.#total.add(snapshot)
    this.#tell(snapshot)
  }

  onDeath(thread: ThreadHandle, why: string): void {
    const { thread: index, clients } = thread.birth.share
    this.died.push(`Receiver thread ${index} with ${clients.length} clients died: ${why}`)
    this.onSnapshot(thread, correctionAtDeath(this.#knownOf(thread)))
  }

  #askAll(question: Ask): Promise<unknown> {
    return Promise.all(this.#threads.map((thread) => thread.ask(question)))
  }

  #correctTheDead(log: PublisherLog, heard: HeardProbes): void {
    const dead = this.#threads.filter((thread) => thread.isDead)
    if (dead.length === 0) return
    const owed = owedProbes(log, heard)
    for (const thread of dead) this.onSnapshot(thread, correctionOfBooks(this.#knownOf(thread), this.#plan, owed))
  }

  #knownOf(thread: ThreadHandle): Snapshot {
    return this.#known.get(thread) ?? emptySnapshot()
  }
}
