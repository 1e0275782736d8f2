/**
 * The replica's side of the group: joins, is given a share of the plan, and does with it what the coordinator says. It decides nothing
 * about the run; it only knows when there is nobody left to obey.
 *
 *   joining ──welcome──▶ welcomed ──plan──▶ preparing ──crowd stands──▶ standing ──close──▶ closed
 *   from anywhere: refused, dismissed, coordinator gone, told to stop, broker gone ──▶ over
 */
import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import type { PartialCrowd } from '../clients/threads/thread-crowd.ts'
import type { Plan, RosterShare } from '../config/plan.ts'
import type { SettingName, Settings } from '../config/settings.ts'
import { describeError, FanfareError } from '../errors.ts'
import { type ClockSources, systemClocks } from '../measure/clock.ts'
import { type ClockIdentity, readClockIdentity } from '../measure/clock-identity.ts'
import type { PublisherLog } from '../measure/publisher-log.ts'
import type { Snapshot } from '../measure/snapshot.ts'
import type { Phase } from '../run/result.ts'
import type { Interruption } from '../run/story.ts'
import { ownUsage } from '../run/usage.ts'
import { MS_PER_SECOND } from '../units.ts'
import type { Arrival } from './control-connections.ts'
import type { LineOptions } from './control-line.ts'
import { COORDINATOR_KEY, coordinatorQueue, replicaKey, replicaQueue } from './group.ts'
import { Handover } from './handover.ts'
import { otherControlVersion } from './join-rules.ts'
import { LogCopy } from './log-copies.ts'
import type { Peer } from './peer.ts'
import { PostOffice, type PostOfficeListener } from './post-office.ts'
import { ReplicaClock } from './replica-clock.ts'
import { givenDigests } from './shared-settings.ts'
import type { Header } from './wire/header.ts'
import { CONTROL_VERSION, type FromCoordinator, type FromReplica, fromCoordinator, fromReplica } from './wire/messages.ts'
import { isUnreadable, pack, unpack } from './wire/parcel.ts'
import { type PlanMessage, planFromMessage } from './wire/plan-codec.ts'

const HAND_OVER_EVERY_MS = MS_PER_SECOND
/** Often enough that drift between two exchanges stays below a fraction of a millisecond. */
const ASK_CLOCK_EVERY_MS = 500
/** Before the clock is used: enough that one exchange was not held up. */
const FIRST_EXCHANGES = 10
const FIRST_EXCHANGE_EVERY_MS = 20
/** How long a replica that is told to stop waits for the coordinator to end the run, or to let it go. */
const STOP_GRACE_MS = 5_000
/** A coordinator that has said goodbye ends at once. */
const GOODBYE_TIMEOUT_MS = 10_000
const GONE_EVERY_MS = 250
/** After it is gone: its process ends last, so that a compose stack is stopped by its exit and by nobody else's. */
const LEAVE_AFTER_MS = 1_000
const FAREWELL_MS = 500

export interface HoldOptions {
  readonly clockCorrectionUs: Float64Array
  readonly onSnapshot: (snapshot: Snapshot) => void
}

export interface ReplicaParts {
  readonly settings: Settings
  /** Settings that somebody asked for here. */
  readonly given: readonly SettingName[]
  /** Of the host. */
  readonly name: string
  /** Of fanfare. */
  readonly version: string
  readonly line: Omit<LineOptions, 'queue' | 'key'>
  readonly clocks?: ClockSources
  readonly clockIdentity?: ClockIdentity
  /** Starts what holds the share. Throws FanfareError when this machine cannot. */
  readonly hold: (plan: Plan, share: RosterShare, options: HoldOptions) => Promise<PartialCrowd>
  /** The plan is known and the share stands. */
  readonly onStanding: (plan: Plan, crowd: PartialCrowd) => void
  /** What the main thread did since the last call. */
  readonly mainThread: () => Snapshot
  readonly onPhase: (phase: Phase) => void
  readonly notice: (text: string) => void
  /** Aborted with an `Interruption`. */
  readonly stop: AbortSignal
}

/** How it ended for this replica. */
export type ReplicaEnd =
  /** The coordinator let it go; `failure` says why the run was none. */
  | { readonly kind: 'dismissed'; readonly failure: FanfareError | undefined }
  | { readonly kind: 'abandoned'; readonly failure: FanfareError; readonly log: PublisherLog }
  | { readonly kind: 'interrupted'; readonly signal: Interruption['signal'] }

type Stage = 'joining' | 'welcomed' | 'preparing' | 'standing' | 'closed'

export class Replica implements PostOfficeListener {
  readonly #parts: ReplicaParts
  readonly #id = randomUUID()
  readonly #clock: ReplicaClock
  readonly #handover = new Handover()
  readonly #log = new LogCopy()
  readonly #timers: NodeJS.Timeout[] = []
  readonly #ended: Promise<ReplicaEnd>
  #end: (end: ReplicaEnd) => void = () => undefined
  #stage: Stage = 'joining'
  #isDismissed = false
  #isOver = false
  readonly #office: PostOffice
  #peer: Peer | undefined
  #crowd: PartialCrowd | undefined
  #coordinatorClock: ClockIdentity | undefined
  /** CLOCK_MONOTONIC of this machine to run clock, as the share was given it. */
  #runClockOffsetUs = 0

  private constructor(parts: ReplicaParts) {
    this.#parts = parts
    this.#clock = new ReplicaClock(parts.clocks ?? systemClocks, parts.clockIdentity ?? readClockIdentity())
    this.#ended = new Promise((resolve) => {
      this.#end = resolve
    })
    const line = { ...parts.line, queue: replicaQueue(parts.settings.runGroup, this.#id), key: replicaKey(this.#id) }
    this.#office = new PostOffice(this.#id, line, this)
  }

  /** Joins, obeys, leaves. Throws as `ControlLine.open`; everything later is an end. */
  static async serve(parts: ReplicaParts): Promise<ReplicaEnd> {
    const replica = new Replica(parts)
    try {
      await replica.#office.open(parts.stop)
    } catch (error) {
      if (!parts.stop.aborted) throw error
      return { kind: 'interrupted', signal: (parts.stop.reason as Interruption).signal }
    }
    replica.#begin()
    const end = await replica.#ended
    await replica.#leave(end)
    return end
  }

  onMessage(_peer: Peer, arrival: Arrival, header: Header): void {
    const receivedUs = this.#clock.nowUs()
    if (header.v !== CONTROL_VERSION) {
      this.#abandoned('replica-refused', otherControlVersion(CONTROL_VERSION))
      return
    }
    const message = unpack(fromCoordinator, arrival)
    if (isUnreadable(message)) {
      this.#abandoned('coordinator-lost', `The coordinator sent something that cannot be read (${message.problem}).`)
      return
    }
    if (message.type === 'clock-tell') {
      this.#clock.exchanged({ sentUs: message.askedUs, theirReceivedUs: message.heardUs, theirSentUs: message.toldUs, receivedUs })
      return
    }
    void this.#obey(message)
  }

  onStranger(): void {
    // Another group's, or a coordinator that is not ours: not our business.
  }

  onDeath(_peer: Peer, why: string): void {
    if (this.#isDismissed) return
    // Nobody leads the group yet.
    if (this.#stage === 'joining') this.#approach()
    else this.#abandoned('coordinator-lost', `The coordinator went away before the run ended: ${why}.`)
  }

  onNotice(text: string): void {
    this.#parts.notice(text)
  }

  onLost(failure: FanfareError): void {
    this.#abandoned(failure.code, failure.message)
  }

  #begin(): void {
    const { stop, settings } = this.#parts
    this.#approach()
    this.#timers.push(
      setInterval(() => this.#handOver(), HAND_OVER_EVERY_MS),
      setInterval(() => this.#askClock(), ASK_CLOCK_EVERY_MS),
      setTimeout(() => this.#joinedInTime(), settings.joinTimeoutMs),
    )
    if (stop.aborted) void this.#askToLeave()
    else stop.addEventListener('abort', () => void this.#askToLeave(), { once: true })
  }

  /** Says who this is to whoever leads the group; says it again until somebody answers. */
  #approach(): void {
    const { settings, given, name, version } = this.#parts
    const { bootId = null, timeNamespace = null } = this.#parts.clockIdentity ?? readClockIdentity()
    this.#peer = this.#office.admit({ id: '', key: COORDINATOR_KEY, queue: coordinatorQueue(settings.runGroup) })
    this.#say({
      type: 'join',
      name,
      version,
      wsPoolSize: settings.wsPoolSize,
      settingDigests: givenDigests(settings, given),
      clock: { bootId, timeNamespace },
    })
  }

  #joinedInTime(): void {
    if (this.#stage !== 'joining') return
    const { joinTimeoutMs, runGroup } = this.#parts.settings
    const where = `group \`${runGroup}\` (RUN_GROUP) at ${this.#parts.line.address.shown}`
    this.#abandoned('join-timeout', `Nobody leads the ${where}: no coordinator answered within ${joinTimeoutMs} ms (JOIN_TIMEOUT_MS).`)
  }

  async #obey(message: Exclude<FromCoordinator, { type: 'clock-tell' }>): Promise<void> {
    switch (message.type) {
      case 'welcome':
        this.#stage = 'welcomed'
        this.#coordinatorClock = { bootId: message.clock.bootId ?? undefined, timeNamespace: message.clock.timeNamespace ?? undefined }
        for (const notice of message.notices) this.#parts.notice(notice)
        return
      case 'refused':
        this.#abandoned('replica-refused', message.text)
        return
      case 'plan':
        await this.#prepare(message.plan)
        return
      case 'phase':
        this.#parts.onPhase(message.phase)
        return
      case 'connect':
        this.#crowd?.connect(message.startUs)
        return
      case 'stop-connecting':
        this.#crowd?.stopConnecting()
        return
      case 'log':
        this.#log.take(message.piece)
        return
      case 'dismiss':
        await this.#dismissed(message.code === null ? undefined : new FanfareError(message.code, message.text))
        return
      default:
        await this.#answer(message)
    }
  }

  async #prepare(message: PlanMessage): Promise<void> {
    this.#stage = 'preparing'
    const plan = planFromMessage(message, this.#parts.settings)
    const share = plan?.shares[plan.replica - 1]
    if (plan === undefined || share === undefined) {
      this.#say({ type: 'cannot', code: 'settings-invalid', text: 'The plan breaks the rules of its settings here.' })
      return
    }
    try {
      await this.#compareClocks()
      this.#runClockOffsetUs = this.#clock.runClockOffsetUs(this.#coordinatorClock!, plan.runClockOffsetUs)
      const ownPlan = { ...plan, runClockOffsetUs: this.#runClockOffsetUs }
      this.#crowd = await this.#parts.hold(ownPlan, share, {
        clockCorrectionUs: this.#clock.correctionUs,
        onSnapshot: (snapshot) => this.#handover.add(snapshot),
      })
      this.#parts.onStanding(ownPlan, this.#crowd)
    } catch (error) {
      const known = error instanceof FanfareError ? error : new FanfareError('fault', describeError(error))
      this.#say({ type: 'cannot', code: known.code, text: known.message })
      return
    }
    this.#stage = 'standing'
    this.#handOver()
    this.#say({ type: 'prepared' })
  }

  /** A few exchanges one after the other; ends when they were answered, or when there is nobody to answer. */
  async #compareClocks(): Promise<void> {
    while (this.#clock.exchanges < FIRST_EXCHANGES && !this.#isOver) {
      this.#askClock()
      await sleep(FIRST_EXCHANGE_EVERY_MS, undefined, { ref: false })
    }
  }

  /** What was asked for is handed over before the answer. */
  async #answer(question: Extract<FromCoordinator, { request: number }>): Promise<void> {
    const crowd = this.#crowd
    if (crowd === undefined) return
    const { log } = this.#log
    const heard = question.type === 'hear' ? await crowd.heard(log) : []
    if (question.type === 'refresh') await crowd.refresh()
    if (question.type === 'expect') await crowd.expect(log, question.heard)
    if (question.type === 'settle') await crowd.settle(log, question.drainEndedUs, question.heard)
    if (question.type === 'close') {
      await crowd.close()
      this.#stage = 'closed'
    }
    this.#tellAll()
    this.#say({ type: 'answer', request: question.request, heard: [...heard] })
  }

  /** Once a second. What the coordinator has not heard yet keeps more from being sent. */
  #handOver(): void {
    this.#clock.steer()
    if (this.#crowd !== undefined && this.#peer!.unheard === 0) this.#tellAll()
  }

  #tellAll(): void {
    this.#handover.add(this.#parts.mainThread())
    const boundUs = this.#handover.hasDeliveries ? this.#clock.recentBoundUs : 0
    this.#clock.figuresWithin(boundUs)
    const facts = { usage: ownUsage(), clock: this.#clock.state(), died: [...this.#crowd!.died] }
    for (const snapshot of this.#handover.take(boundUs)) this.#say({ type: 'snapshot', snapshot, ...facts })
  }

  #askClock(): void {
    if (this.#stage !== 'joining') this.#peer!.mention(pack(fromReplica, { type: 'clock-ask', askedUs: this.#clock.nowUs() }))
  }

  /** Leaves when the coordinator has: whoever leaves first stops a whole compose stack. */
  async #dismissed(failure: FanfareError | undefined): Promise<void> {
    this.#isDismissed = true
    const { stop, settings } = this.#parts
    if (stop.aborted) return this.#interrupted()
    const queue = coordinatorQueue(settings.runGroup)
    const deadlineMs = performance.now() + GOODBYE_TIMEOUT_MS
    while (performance.now() < deadlineMs && (await this.#office.isThere(queue)) !== false) {
      await sleep(GONE_EVERY_MS, undefined, { ref: false })
    }
    await sleep(LEAVE_AFTER_MS, undefined, { ref: false })
    this.#end({ kind: 'dismissed', failure })
  }

  #abandoned(code: FanfareError['code'], text: string): void {
    if (!this.#isDismissed) this.#end({ kind: 'abandoned', failure: new FanfareError(code, text), log: this.#log.log })
  }

  /** Told to stop: perhaps everybody is, and the coordinator still wants to settle the books. */
  async #askToLeave(): Promise<void> {
    if (this.#stage !== 'joining' && !this.#isDismissed) {
      this.#say({ type: 'leaving', why: 'it was told to stop' })
      await sleep(STOP_GRACE_MS, undefined, { ref: false })
    }
    this.#interrupted()
  }

  #interrupted(): void {
    this.#end({ kind: 'interrupted', signal: (this.#parts.stop.reason as Interruption).signal })
  }

  #runNowUs(): number {
    return this.#clock.nowUs() + this.#runClockOffsetUs + this.#clock.correctionUs[0]!
  }

  #say(message: FromReplica): void {
    this.#peer!.say(pack(fromReplica, message))
  }

  async #leave(end: ReplicaEnd): Promise<void> {
    this.#isOver = true
    for (const timer of this.#timers) clearTimeout(timer)
    if (this.#crowd !== undefined && this.#stage !== 'closed') {
      if (end.kind === 'abandoned' && end.log.streams.length > 0) await this.#crowd.settle(end.log, this.#runNowUs())
      await this.#crowd.close()
    }
    await this.#office.close(FAREWELL_MS)
  }
}
