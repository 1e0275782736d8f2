/**
 * The coordinator's side of the group: lets replicas in, gives them their shares, and passes on what they say. The run itself goes through
 * the crowd that is made here, and knows nothing of all this.
 *
 *   joining ──gather──▶ dialing ──ready barrier──▶ begun          dismiss, from anywhere ──▶ over
 */
import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Plan } from '../config/plan.ts'
import type { Settings } from '../config/settings.ts'
import { type ErrorCode, FanfareError } from '../errors.ts'
import { type ClockSources, monotonicUs, systemClocks } from '../measure/clock.ts'
import { readClockIdentity } from '../measure/clock-identity.ts'
import type { Phase, Warning } from '../run/result.ts'
import type { Candidate } from './candidate.ts'
import type { Arrival } from './control-connections.ts'
import type { LineOptions } from './control-line.ts'
import { COORDINATOR_KEY, coordinatorQueue, replicaKey, replicaQueue } from './group.ts'
import { decideJoin, type JoinStage, otherControlVersion, refusalOf } from './join-rules.ts'
import { Member } from './member.ts'
import type { Peer } from './peer.ts'
import { PostOffice, type PostOfficeListener } from './post-office.ts'
import { ReplicaCrowd } from './replica-crowd.ts'
import { differingSettings } from './shared-settings.ts'
import type { Header } from './wire/header.ts'
import { CONTROL_VERSION, fromCoordinator, fromReplica } from './wire/messages.ts'
import { isUnreadable, pack, unpack } from './wire/parcel.ts'

const ASK_EVERY_MS = 50
/** A replica that is told to stop by somebody else may be one of many who are, this process among them: it is given a moment. */
const LEAVE_GRACE_MS = 1_000
/** How long goodbyes may take to arrive. */
const FAREWELL_MS = 2_000

export interface CoordinatorParts {
  readonly settings: Settings
  /** Where the group meets; the names in it are the group's. */
  readonly line: Omit<LineOptions, 'queue' | 'key'>
  /** Of fanfare. */
  readonly version: string
  /** The run clock, microseconds. */
  readonly nowUs: () => number
  readonly clocks?: ClockSources
  /** Sentences for the log. */
  readonly notice: (text: string) => void
  /** Interrupts the run, and with it the waiting here. */
  readonly stop: AbortSignal
}

export class Coordinator implements PostOfficeListener {
  /** What the report should say about joining. */
  readonly warnings: Warning[] = []
  readonly #parts: CoordinatorParts
  readonly #clocks: ClockSources
  readonly #candidates: Candidate[] = []
  readonly #members = new Map<Peer, Member>()
  readonly #unprepared = new Set<Member>()
  readonly #office: PostOffice
  #crowd: ReplicaCrowd | undefined
  #stage: JoinStage = 'joining'
  #lastJoinMs = 0
  /** Why the run cannot be carried out, once that is known. */
  #failure: FanfareError | undefined

  private constructor(parts: CoordinatorParts) {
    this.#parts = parts
    this.#clocks = parts.clocks ?? systemClocks
    const { runGroup } = parts.settings
    this.#office = new PostOffice(randomUUID(), { ...parts.line, queue: coordinatorQueue(runGroup), key: COORDINATOR_KEY }, this)
  }

  /** Throws `group-taken` when somebody else leads this group, and as `ControlLine.open`. */
  static async open(parts: CoordinatorParts): Promise<Coordinator> {
    const coordinator = new Coordinator(parts)
    try {
      await coordinator.#office.open(parts.stop)
    } catch (error) {
      if (!(error instanceof FanfareError) || error.code !== 'group-taken') throw error
      const { runGroup } = parts.settings
      throw new FanfareError(
        'group-taken',
        `Another coordinator leads the group \`${runGroup}\` (RUN_GROUP) at ${parts.line.address.shown}.`,
        {
          cause: error,
        },
      )
    }
    return coordinator
  }

  /** Waits until enough replicas have joined; resolves with their numbers of clients. Throws `join-timeout`. */
  async gather(): Promise<number[]> {
    const startedMs = performance.now()
    for (;;) {
      const nowMs = performance.now()
      const joined = this.#candidates.map(({ join }) => join.name)
      const decision = decideJoin({ joined, sinceLastJoinMs: nowMs - this.#lastJoinMs, elapsedMs: nowMs - startedMs }, this.#parts.settings)
      if (decision instanceof FanfareError) throw decision
      if (decision === 'go') break
      await this.#moment()
    }
    this.#stage = 'dialing'
    return this.#candidates.map(({ join }) => join.wsPoolSize)
  }

  /**
   * Gives everybody who has joined a share of the plan and waits until they can dial. Throws what keeps one of them from it
   * (preflight), with its name.
   */
  async assemble(plan: Plan): Promise<ReplicaCrowd> {
    const crowd = new ReplicaCrowd(plan, this.#parts.nowUs)
    this.#crowd = crowd
    const members = this.#candidates.splice(0).map((candidate, index) => this.#enlist(candidate, index, plan.shares[index]!))
    for (const member of members) crowd.brief(member)
    while (this.#unprepared.size > 0) await this.#moment()
    return crowd
  }

  /** The run has entered a phase; when it publishes, nobody may join any more. */
  enter(phase: Phase): void {
    if (phase !== 'connect' && phase !== 'ready' && this.#stage === 'dialing') this.#stage = 'begun'
    this.#crowd?.tellAll({ type: 'phase', phase })
  }

  /** Lets everybody go, and ends the connections. `why`: the run could not be carried out. Idempotent. */
  async dismiss(why?: FanfareError): Promise<void> {
    const goodbye = pack(fromCoordinator, { type: 'dismiss', code: why?.code ?? null, text: why?.message ?? '' })
    for (const { peer } of this.#candidates) peer.say(goodbye)
    for (const peer of this.#members.keys()) peer.say(goodbye)
    await this.#office.close(FAREWELL_MS)
  }

  onMessage(peer: Peer, arrival: Arrival, _header: Header): void {
    // First of all: what an answer to `clock-ask` is worth depends on it.
    const heardUs = monotonicUs(this.#clocks)
    const message = unpack(fromReplica, arrival)
    if (isUnreadable(message)) {
      this.#giveUp(peer, `it sent something that cannot be read (${message.problem})`)
      return
    }
    const member = this.#members.get(peer)
    switch (message.type) {
      case 'clock-ask': {
        const toldUs = monotonicUs(this.#clocks)
        peer.mention(pack(fromCoordinator, { type: 'clock-tell', askedUs: message.askedUs, heardUs, toldUs }))
        return
      }
      case 'prepared':
        if (member !== undefined) this.#prepared(member)
        return
      case 'cannot':
        if (member !== undefined) this.#cannot(member, message.code, message.text)
        return
      case 'snapshot':
      case 'answer':
        if (member !== undefined) this.#crowd!.hear(member, message)
        return
      case 'leaving':
        void this.#leaving(peer, message.why)
        return
      case 'join':
        return
    }
  }

  onStranger(arrival: Arrival, header: Header): void {
    const reply = (text: string): void =>
      this.#office.mentionTo(
        replicaKey(header.from),
        { v: CONTROL_VERSION, from: '', to: header.from, number: 0, heard: header.number },
        pack(fromCoordinator, { type: 'refused', text }),
      )
    if (header.v !== CONTROL_VERSION) {
      this.#refuse('a replica', otherControlVersion(header.v), reply)
      return
    }
    // What remains of a group whose coordinator this one is not.
    if (header.to !== '') {
      reply('The coordinator it belonged to is gone; another one leads the group now.')
      return
    }
    const message = unpack(fromReplica, arrival)
    if (isUnreadable(message) || message.type !== 'join') return
    const refusal = refusalOf(message, {
      version: this.#parts.version,
      stage: this.#stage,
      members: this.#candidates.length + this.#members.size,
      settings: this.#parts.settings,
    })
    if (refusal !== undefined) this.#refuse(`replica \`${message.name}\``, refusal, reply)
    else this.#admit(message, header)
  }

  onDeath(peer: Peer, why: string): void {
    const candidate = this.#candidates.findIndex((one) => one.peer === peer)
    if (candidate >= 0) {
      const [{ join }] = this.#candidates.splice(candidate, 1) as [Candidate]
      this.#parts.notice(`Replica ${join.name} went away before the run began: ${why}.`)
    }
    const member = this.#members.get(peer)
    if (member !== undefined) this.#lose(member, why)
  }

  onNotice(text: string): void {
    this.#parts.notice(text)
  }

  onLost(failure: FanfareError): void {
    this.#failure ??= failure
    for (const member of this.#members.values()) this.#lose(member, failure.message)
  }

  #admit(join: Candidate['join'], header: Header): void {
    const { settings, version, notice } = this.#parts
    const id = header.from
    const peer = this.#office.admit({ id, key: replicaKey(id), queue: replicaQueue(settings.runGroup, id) })
    peer.hear(header)
    const differing = differingSettings(join.settingDigests, settings)
    const notices =
      differing.length === 0 ? [] : [`Its own ${differing.join(', ')} differ from the plan's; the coordinator's values are used.`]
    const { bootId = null, timeNamespace = null } = readClockIdentity()
    peer.say(pack(fromCoordinator, { type: 'welcome', version, clock: { bootId, timeNamespace }, notices }))
    this.#lastJoinMs = performance.now()
    notice(`Replica ${join.name} has joined with ${join.wsPoolSize} clients.`)
    if (differing.length > 0) this.#warn('replica-settings', `Replica ${join.name}: ${notices[0]}`)
    if (this.#crowd === undefined) this.#candidates.push({ peer, join })
    else this.#joinLate({ peer, join }, this.#crowd)
  }

  /** The others dial already: its clients come on top of theirs. */
  #joinLate(candidate: Candidate, crowd: ReplicaCrowd): void {
    const firstClient = crowd.plan.roster.clients
    const member = this.#enlist(candidate, crowd.members.length, { firstClient, clients: candidate.join.wsPoolSize })
    this.#warn('replica-late', `${member.title} joined while the others were dialing; its ${member.share.clients} clients came on top.`)
    crowd.brief(member)
  }

  #enlist({ peer, join }: Candidate, index: number, share: Member['share']): Member {
    const member = new Member({ number: index + 1, name: join.name, share, peer })
    this.#members.set(peer, member)
    this.#unprepared.add(member)
    this.#crowd!.admit(member)
    return member
  }

  #prepared(member: Member): void {
    this.#unprepared.delete(member)
    this.#crowd!.prepared(member)
  }

  #cannot(member: Member, code: ErrorCode, text: string): void {
    this.#failure ??= new FanfareError(code, `${member.title}: ${text}`)
    this.#lose(member, text)
  }

  async #leaving(peer: Peer, why: string): Promise<void> {
    await sleep(LEAVE_GRACE_MS, undefined, { ref: false })
    if (this.#parts.stop.aborted || this.#crowd?.isClosing) return
    peer.say(pack(fromCoordinator, { type: 'dismiss', code: null, text: why }))
    this.#giveUp(peer, why)
  }

  #giveUp(peer: Peer, why: string): void {
    this.#office.forget(peer)
    this.onDeath(peer, why)
  }

  #lose(member: Member, why: string): void {
    this.#unprepared.delete(member)
    this.#crowd!.lose(member, why)
    this.#parts.notice(`${member.title} is lost: ${why}.`)
  }

  #refuse(who: string, why: string, reply: (text: string) => void): void {
    reply(why)
    this.#warn('replica-refused', `${who} was refused: ${why}`)
  }

  /** Says it once. */
  #warn(code: string, text: string): void {
    if (this.warnings.some((known) => known.text === text)) return
    this.warnings.push({ code, text })
    this.#parts.notice(text)
  }

  /** Between two looks at what is waited for. Throws what makes waiting pointless. */
  async #moment(): Promise<void> {
    const { stop } = this.#parts
    await sleep(ASK_EVERY_MS, undefined, { signal: stop }).catch(() => undefined)
    stop.throwIfAborted()
    if (this.#failure !== undefined) throw this.#failure
  }
}
