/**
 * The crowd of a run with replicas, as the run sees any crowd: it asks them all, adds up what they tell, and closes the books of those
 * that die as unaccounted. It knows nothing of joining, and nothing of queues.
 */
import type { Crowd } from '../clients/crowd.ts'
import { correctionOfBooks } from '../clients/threads/dead-thread.ts'
import { type Plan, shareOut } from '../config/plan.ts'
import { type HeardProbes, mergeHeard, owedProbes, undecidedSequences } from '../measure/owed.ts'
import type { PublisherLog } from '../measure/publisher-log.ts'
import type { Snapshot } from '../measure/snapshot.ts'
import { SnapshotTotal } from '../measure/snapshot-total.ts'
import type { ReplicaRow } from '../run/result.ts'
import { addUsage, type Usage } from '../run/usage.ts'
import { ToldLog } from './log-copies.ts'
import type { Member } from './member.ts'
import { type FromCoordinator, type FromReplica, fromCoordinator } from './wire/messages.ts'
import { pack } from './wire/parcel.ts'
import { planToMessage } from './wire/plan-codec.ts'

/** A wait asks ten times a second; replicas hand over less often than that. */
const REFRESH_EVERY_MS = 200
/** Between the word to dial and the first dial: long enough for the word to reach everybody. */
const DIAL_AHEAD_US = 100_000

/** What a member may say once it belongs to the crowd. */
export type MemberMessage = Extract<FromReplica, { type: 'snapshot' | 'answer' }>

export class ReplicaCrowd implements Crowd {
  readonly #nowUs: () => number
  readonly #members: Member[] = []
  readonly #died: string[] = []
  readonly #total = new SnapshotTotal()
  readonly #told = new ToldLog()
  #plan: Plan
  #requests = 0
  #hasConnected = false
  #refreshing: Promise<unknown> | undefined
  #refreshedMs = Number.NEGATIVE_INFINITY
  #closing: Promise<Snapshot> | undefined

  /** @param nowUs the run clock */
  constructor(plan: Plan, nowUs: () => number) {
    this.#plan = plan
    this.#nowUs = nowUs
  }

  /** Grows when a replica joins while the others dial. */
  get plan(): Plan {
    return this.#plan
  }

  get members(): readonly Member[] {
    return this.#members
  }

  get isClosing(): boolean {
    return this.#closing !== undefined
  }

  get died(): string[] {
    return [...this.#members.flatMap(({ title, died }) => died.map((sentence) => `${title}: ${sentence}`)), ...this.#died]
  }

  /** Gives a member its part. What its share adds to the roster is in the plan from now on. */
  admit(member: Member): void {
    this.#members.push(member)
    this.#plan = { ...this.#plan, ...shareOut(this.#members.map(({ share }) => share.clients)) }
  }

  /** Tells a member the plan. */
  brief(member: Member): void {
    this.#say([member], { type: 'plan', plan: planToMessage(this.#plan, member.number) })
  }

  /** The member can dial; when the others do already, so does it. */
  prepared(member: Member): void {
    if (this.#hasConnected) this.#say([member], { type: 'connect', startUs: this.#nowUs() })
  }

  hear(member: Member, message: MemberMessage): void {
    if (message.type === 'answer') {
      member.answered(message.request, message.heard)
      return
    }
    member.usage = message.usage
    member.clock = message.clock
    member.died = message.died
    this.#add(member, message.snapshot)
  }

  /** The member is gone and took along what it had not told. After the books were closed that is nothing. */
  lose(member: Member, why: string): void {
    if (member.isDead) return
    if (!this.isClosing) this.#died.push(`${member.title} with ${member.share.clients} clients is lost: ${why}`)
    this.#add(member, member.die())
  }

  connect(): void {
    this.#hasConnected = true
    this.#say(this.#members, { type: 'connect', startUs: this.#nowUs() + DIAL_AHEAD_US })
  }

  stopConnecting(): void {
    this.#say(this.#members, { type: 'stop-connecting' })
  }

  snapshot(): Snapshot {
    return this.#total.read()
  }

  async refresh(): Promise<Snapshot> {
    if (performance.now() - this.#refreshedMs >= REFRESH_EVERY_MS) {
      this.#refreshing ??= this.#ask((request) => ({ type: 'refresh', request })).finally(() => {
        this.#refreshing = undefined
        this.#refreshedMs = performance.now()
      })
    }
    await this.#refreshing
    return this.snapshot()
  }

  async expect(log: PublisherLog): Promise<Snapshot> {
    const heard = await this.#tellLog(log)
    await this.#ask((request) => ({ type: 'expect', request, heard: [...heard] }))
    return this.#correctTheDead(heard)
  }

  async settle(log: PublisherLog, drainEndedUs: number): Promise<Snapshot> {
    const heard = await this.#tellLog(log)
    await this.#ask((request) => ({ type: 'settle', request, heard: [...heard], drainEndedUs }))
    return this.#correctTheDead(heard)
  }

  close(): Promise<Snapshot> {
    this.#closing ??= this.#ask((request) => ({ type: 'close', request })).then(() => this.snapshot())
    return this.#closing
  }

  /** Tells every member; the dead hear nothing. */
  tellAll(message: FromCoordinator): void {
    this.#say(this.#members, message)
  }

  /** One row per replica. */
  rows(): ReplicaRow[] {
    return this.#members.map(({ number, name, figures, clock }) => ({ replica: number, name, receivers: figures, clock }))
  }

  /** What the processes of all replicas have used so far, as they last told. */
  usage(): Usage {
    return this.#members.map(({ usage }) => usage).reduce(addUsage, { cpuSeconds: 0, rssBytes: 0 })
  }

  #add(member: Member, snapshot: Snapshot): void {
    member.add(snapshot)
    this.#total.add(snapshot)
  }

  /** Packed once, said to each. */
  #say(members: readonly Member[], message: FromCoordinator): void {
    const parcel = pack(fromCoordinator, message)
    for (const member of members) member.tell(parcel)
  }

  /** Asks everybody; the dead give no answer. */
  async #ask(question: (request: number) => FromCoordinator): Promise<HeardProbes[]> {
    this.#requests += 1
    const request = this.#requests
    const parcel = pack(fromCoordinator, question(request))
    const answers = await Promise.all(this.#members.map((member) => member.ask(request, parcel)))
    return answers.filter((heard) => heard !== undefined)
  }

  /** Brings everybody's copy of the log up to date. Resolves with the probes without a confirm that anybody has heard. */
  async #tellLog(log: PublisherLog): Promise<HeardProbes> {
    for (const piece of this.#told.tell(log)) this.#say(this.#members, { type: 'log', piece })
    const isDecided = this.#told.log.streams.every((stream) => undecidedSequences(stream).next().done)
    if (isDecided) return []
    const heard = await this.#ask((request) => ({ type: 'hear', request }))
    return mergeHeard(...heard, this.#heardByTheDead())
  }

  /** Nobody can ask them, but what they had told is in the fan-out rows. */
  #heardByTheDead(): HeardProbes {
    if (!this.#members.some(({ isDead }) => isDead)) return []
    const { stream: streams, sequence: sequences } = this.snapshot().fanout
    return this.#told.log.streams.map((log) => {
      const undecided = new Set(undecidedSequences(log))
      const heard = Array.from(sequences).filter((sequence, row) => streams[row] === log.stream && undecided.has(sequence))
      return { stream: log.stream, sequences: heard }
    })
  }

  #correctTheDead(heard: HeardProbes): Snapshot {
    const dead = this.#members.filter(({ isDead }) => isDead)
    if (dead.length > 0) {
      const owed = owedProbes(this.#told.log, heard)
      for (const member of dead) this.#add(member, correctionOfBooks(member.books, this.#plan, owed))
    }
    return this.snapshot()
  }
}
