/**
 * One thread's clients from the first dial to the last goodbye. It listens to the engine, lets the dialect speak, and tells
 * the books what happened and when; the hot path is `receive.ts`. It knows nothing of threads, snapshots or phases.
 */
import { type Plan, streamsOfClient, type ThreadShare } from '../config/plan.ts'
import type { Books } from '../measure/books.ts'
import type { Clock } from '../measure/clock.ts'
import { TokenReader } from '../probe/codec.ts'
import { createProtocol } from '../protocols/create-protocol.ts'
import type { ClientIdentity, Protocol, Session } from '../protocols/protocol.ts'
import { parseTarget } from '../protocols/target-request.ts'
import { msToUs } from '../units.ts'
import { ClientPort, type LifeSteps } from './client-port.ts'
import { ClientState, ClientStates } from './client-states.ts'
import type { DialPacing } from './dialing/dial-pacing.ts'
import { Dialer } from './dialing/dialer.ts'
import type { LocalPorts } from './dialing/local-ports.ts'
import { Reconnects } from './dialing/reconnects.ts'
import { TargetAddresses } from './dialing/target-addresses.ts'
import type { ConnectionEnd, Engine, EngineListener, OpenFacts } from './engine.ts'
import { createEngine } from './engines/create-engine.ts'
import { hostOf, portOf } from './engines/open-socket.ts'
import { boundedText } from './engines/socket-faults.ts'
import { Goodbyes } from './goodbyes.ts'
import { HeartbeatRound } from './heartbeat-round.ts'
import { ReadyWatch } from './ready-watch.ts'
import { Deliveries } from './receive.ts'

/** How often timeouts and heartbeats are looked at. */
const SWEEP_MS = 50

export interface ReceiverParts {
  readonly plan: Plan
  readonly share: ThreadShare
  readonly books: Books
  readonly clock: Clock
  readonly ports: LocalPorts
}

export class Receiver implements EngineListener, LifeSteps {
  readonly engine: Engine
  readonly #parts: ReceiverParts
  readonly #protocol: Protocol
  readonly #states: ClientStates
  /** By slot, from its dial on; a new one for every connection. */
  readonly #sessions: Session[] = []
  readonly #deliveries: Deliveries
  readonly #port: ClientPort
  readonly #readyWatch: ReadyWatch
  readonly #heartbeats: HeartbeatRound | undefined
  readonly #goodbyes: Goodbyes
  readonly #reconnects = new Reconnects()
  #dialer: Dialer | undefined
  #sweep: NodeJS.Timeout | undefined
  #isStopped = false
  #isClosing = false

  /** Throws `settings-invalid` when the dialect's or the engine's settings make no sense. */
  constructor(parts: ReceiverParts) {
    const { plan, share, books, clock } = parts
    const { settings } = plan
    const slots = share.clients.length
    this.#parts = parts
    this.#protocol = createProtocol(settings)
    this.engine = createEngine(settings, this, () => clock.nowUs())
    this.#states = new ClientStates(slots)
    this.#deliveries = new Deliveries(books, new TokenReader(plan.runId), slots)
    this.#port = new ClientPort(this, books, this.#deliveries)
    this.#readyWatch = new ReadyWatch(msToUs(settings.readyTimeoutMs))
    this.#heartbeats = this.#protocol.heartbeatMs === undefined ? undefined : new HeartbeatRound(slots, msToUs(this.#protocol.heartbeatMs))
    this.#goodbyes = new Goodbyes(this.engine, this.#states, (slot) => this.#lastWords(slot))
  }

  /** Clients that have a connection, or are getting one. */
  get alive(): number {
    return this.#states.alive
  }

  /** Looks the targets up and begins to dial. */
  async connect(pacing: DialPacing): Promise<void> {
    const { plan, share, ports, clock } = this.#parts
    const { connectTimeoutMs, sourceAddresses, wsAddr } = plan.settings
    const urls = wsAddr.map((target) => parseTarget(target).url)
    const addresses = await TargetAddresses.resolve(urls.map(hostOf), connectTimeoutMs)
    if (this.#isStopped) return
    this.#dialer = new Dialer({
      engine: this.engine,
      clients: share.clients,
      pacing,
      connectTimeoutMs,
      targetPorts: urls.map(portOf),
      sourceAddresses,
      addresses,
      ports,
      nowUs: () => clock.nowUs(),
      handshakeOf: (slot, target) => this.#protocol.handshake(wsAddr[target]!, this.#identityOf(slot)),
      onDial: (slot) => this.#dialed(slot),
      onPortRetry: () => this.#parts.books.portRetried(),
      onImpossible: (slot, end) => this.#over(slot, end),
    })
    this.#sweep = setInterval(() => this.#lookAtTimes(), SWEEP_MS)
    this.#dialer.start()
  }

  stopConnecting(): void {
    this.#isStopped = true
    this.#dialer?.stop()
  }

  /** Says goodbye to all targets; takes a bounded time. */
  async close(): Promise<void> {
    this.#isClosing = true
    this.#reconnects.giveUp()
    this.stopConnecting()
    await this.#goodbyes.sayAll()
    clearInterval(this.#sweep)
  }

  onOpen(slot: number, { openedUs, localAddress, localPort }: OpenFacts): void {
    this.#states.enter(slot, ClientState.open)
    this.#parts.books.opened(slot, openedUs, localAddress, localPort)
    this.#dialer!.opened(slot)
    if (!this.#protocol.isReadyOnOpen) this.#readyWatch.opened(slot, openedUs)
    this.#sessions[slot]!.opened(this.#port.attend(slot, openedUs))
    if (this.#protocol.isReadyOnOpen) this.becameReady(slot, openedUs)
  }

  onMessage(slot: number, data: Uint8Array, start: number, end: number, isBinary: boolean, receivedUs: number): void {
    if (!this.#protocol.decodes && this.#deliveries.book(slot, data, start, end, receivedUs, false)) return
    this.#sessions[slot]!.frame(data, start, end, isBinary, this.#port.attend(slot, receivedUs))
  }

  onEnd(slot: number, end: ConnectionEnd): void {
    if (!end.wasOpen && this.#dialer!.triesAgain(slot, end)) return
    this.#over(slot, this.#inDialect(slot, end))
  }

  send(slot: number, data: string | Uint8Array): void {
    this.engine.send(slot, data)
  }

  becameReady(slot: number, atUs: number): void {
    if (!this.#states.is(slot, ClientState.open)) return
    this.#states.enter(slot, ClientState.ready)
    this.#readyWatch.settled(slot)
    this.#reconnects.ready(slot)
    this.#parts.books.ready(slot, atUs)
  }

  refused(slot: number, text: string): void {
    if (this.#states.is(slot, ClientState.open)) this.engine.abort(slot, 'subscription-refused', boundedText(text))
  }

  endedByTarget(slot: number, text: string): void {
    this.engine.abort(slot, 'ended-by-target', boundedText(text))
  }

  brokeDialect(slot: number, text: string): void {
    this.engine.abort(slot, 'protocol-error', boundedText(text))
  }

  #identityOf(slot: number): ClientIdentity {
    const { plan, share } = this.#parts
    const client = share.clients[slot]!
    return { client, replica: plan.replica, runId: plan.runId, streams: streamsOfClient(plan, client).map(({ name }) => name) }
  }

  #lastWords(slot: number): void {
    if (!this.#states.is(slot, ClientState.dialing)) this.#sessions[slot]!.closing?.(this.#port.attend(slot, this.#parts.clock.nowUs()))
  }

  #dialed(slot: number): void {
    this.#states.enter(slot, ClientState.dialing)
    this.#sessions[slot] = this.#protocol.session(this.#identityOf(slot))
    this.#parts.books.dialed(slot, this.#parts.clock.nowUs())
  }

  #over(slot: number, end: ConnectionEnd): void {
    const { books, clock } = this.#parts
    const nowUs = clock.nowUs()
    const willRetry = end.code !== undefined && this.#comesBack(slot)
    this.#states.enter(slot, willRetry ? ClientState.waiting : ClientState.over)
    this.#readyWatch.settled(slot)
    books.ended(slot, nowUs, end, willRetry)
    if (willRetry) this.#reconnects.lost(slot, nowUs)
    this.#goodbyes.ended(slot)
  }

  /** Whoever was ready once comes back, however often that fails; a first dial that failed is a finding. */
  #comesBack(slot: number): boolean {
    if (this.#isClosing || !this.#parts.plan.settings.reconnect) return false
    return this.#states.is(slot, ClientState.ready) || this.#reconnects.isReturning(slot)
  }

  /** Some targets close a connection in place of an answer; the dialect knows what that answers. */
  #inDialect(slot: number, end: ConnectionEnd): ConnectionEnd {
    if (end.code !== 'closed-by-target' || !this.#states.is(slot, ClientState.open)) return end
    const refusal = this.#sessions[slot]!.refusal?.(end.text)
    return refusal === undefined ? end : { ...end, code: 'subscription-refused', text: boundedText(refusal) }
  }

  #lookAtTimes(): void {
    const { clock, plan } = this.#parts
    const nowUs = clock.nowUs()
    this.#dialer!.expire(nowUs)
    for (const slot of this.#readyWatch.expired(nowUs)) {
      this.engine.abort(slot, 'ready-timeout', `the subscription was not acknowledged within ${plan.settings.readyTimeoutMs} ms`)
    }
    this.#reconnects.dialDue(nowUs, (slot) => this.#dialer!.dialAgain(slot))
    for (const slot of this.#heartbeats?.due(nowUs) ?? []) {
      if (this.#states.is(slot, ClientState.ready)) this.#sessions[slot]!.heartbeat?.(this.#port.attend(slot, nowUs))
    }
  }
}
