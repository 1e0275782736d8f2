/**
 * Who was there when: the life of every client of one thread, and what it counts (connects, readiness, losses). Times decide later
 * what a client was owed and what it missed. It knows nothing of probes.
 */
import type { CountedCode } from '../errors.ts'
import { usToSeconds } from '../units.ts'
import { Histogram, type HistogramData } from './histogram.ts'
import type { ClientCounts, Snapshot } from './snapshot.ts'
import { emptyClientCounts, firstByAlphabet } from './snapshot-merge.ts'

/** How a connection ended, as far as the books care. */
export interface EndOfConnection {
  /** undefined: the client closed on purpose. */
  readonly code: CountedCode | undefined
  readonly closeCode?: number
  readonly httpStatus?: number
  readonly wasOpen: boolean
  /** A sentence, bounded in length and without secrets. */
  readonly text?: string
}

/** Why a client's last connection ended, when the client did not ask for it. */
export interface LastEnd extends Omit<EndOfConnection, 'text'> {
  readonly code: CountedCode
  readonly atUs: number
  /** How busy the tester's loop pass was at that moment. */
  readonly passBusyUs: number
}

/** From losing the connection to being ready again; `untilUs` is infinite while it is away. */
interface Absence {
  readonly fromUs: number
  readonly untilUs: number
}

/** What happened to clients in one second. */
export interface MembershipSecond {
  opened: number
  ready: number
  /** Signed change of clients that are open and ready; what they close themselves at the end does not count. */
  connected: number
  disconnected: number
}

/** Changes since the last `take`. */
export interface MembershipChanges {
  readonly clients: ClientCounts
  readonly errorsByCode: Partial<Record<CountedCode, number>>
  readonly errorTexts: Partial<Record<CountedCode, string>>
  readonly endings: Record<string, number>
  readonly portRetries: number
  readonly firstDialUs: number | undefined
  readonly lastReadyUs: number | undefined
  readonly connectLatencyUs: HistogramData
  readonly readyLatencyUs: HistogramData
  readonly readyClients: Snapshot['readyClients']
  /** By second since the epoch. */
  readonly seconds: ReadonlyMap<number, MembershipSecond>
  /** By target. */
  readonly targets: readonly TargetMembership[]
}

export type TargetMembership = Pick<ClientCounts, 'opened' | 'ready' | 'failed' | 'disconnected'>

export class Membership {
  /** By slot, run clock; infinite until the client is ready for the first time. Read on the receive path. */
  readonly firstReadyUs: Float64Array
  readonly #clients: readonly number[]
  readonly #targetOf: readonly number[]
  readonly #dialedUs: Float64Array
  readonly #openedUs: Float64Array
  readonly #hasOpened: Uint8Array
  readonly #isConnected: Uint8Array
  readonly #localAddresses: string[]
  readonly #localPorts: Uint16Array
  /** Only of clients that were disconnected. */
  readonly #absences = new Map<number, Absence[]>()
  readonly #lastEnds = new Map<number, LastEnd>()
  readonly #connectLatency = new Histogram()
  readonly #readyLatency = new Histogram()
  readonly #targets: number
  #changes: ReturnType<typeof noChanges>

  /** @param clients client indices by slot @param targetOf target indices by slot */
  constructor(clients: readonly number[], targetOf: readonly number[]) {
    const slots = clients.length
    this.#clients = clients
    this.#targetOf = targetOf
    this.firstReadyUs = new Float64Array(slots).fill(Number.POSITIVE_INFINITY)
    this.#dialedUs = new Float64Array(slots)
    this.#openedUs = new Float64Array(slots)
    this.#hasOpened = new Uint8Array(slots)
    this.#isConnected = new Uint8Array(slots)
    this.#localAddresses = new Array<string>(slots).fill('')
    this.#localPorts = new Uint16Array(slots)
    this.#targets = targetOf.reduce((highest, target) => Math.max(highest, target), -1) + 1
    this.#changes = noChanges(this.#targets)
    this.#changes.clients.wanted = slots
  }

  dialed(slot: number, atUs: number): void {
    this.#dialedUs[slot] = atUs
    this.#changes.firstDialUs ??= atUs
  }

  /** A dial is repeated from another local port. */
  portRetried(): void {
    this.#changes.portRetries++
  }

  opened(slot: number, atUs: number, localAddress: string, localPort: number): void {
    this.#openedUs[slot] = atUs
    this.#localAddresses[slot] = localAddress
    this.#localPorts[slot] = localPort
    this.#connectLatency.record(atUs - this.#dialedUs[slot]!)
    if (this.#hasOpened[slot] === 1) return
    this.#hasOpened[slot] = 1
    this.#changes.clients.opened++
    this.#changes.targets[this.#targetOf[slot]!]!.opened++
    this.#second(atUs).opened++
  }

  /** The subscription was acknowledged; once per connection. */
  ready(slot: number, atUs: number): void {
    this.#isConnected[slot] = 1
    this.#changes.clients.connected++
    this.#second(atUs).connected++
    this.#changes.lastReadyUs = atUs
    this.#readyLatency.record(atUs - this.#openedUs[slot]!)
    if (this.isReady(slot)) {
      this.#changes.clients.reconnected++
      const absences = this.#absences.get(slot)
      if (absences !== undefined) absences[absences.length - 1] = { fromUs: absences.at(-1)!.fromUs, untilUs: atUs }
      return
    }
    this.firstReadyUs[slot] = atUs
    this.#changes.clients.ready++
    this.#changes.targets[this.#targetOf[slot]!]!.ready++
    this.#changes.readyClients.push({ client: this.#clients[slot]!, readyUs: atUs })
    this.#second(atUs).ready++
  }

  /** A dial or a connection ended. `willRetry`: the client dials again. */
  ended(slot: number, atUs: number, { text, ...end }: EndOfConnection, willRetry: boolean, passBusyUs: number): void {
    const wasConnected = this.#isConnected[slot] === 1
    this.#isConnected[slot] = 0
    if (wasConnected) this.#changes.clients.connected--
    if (end.code === undefined) return

    this.#countEnd(end)
    if (text !== undefined) this.#changes.errorTexts[end.code] = firstByAlphabet(this.#changes.errorTexts[end.code] ?? text, text)
    this.#lastEnds.set(slot, { ...end, code: end.code, atUs, passBusyUs })
    const target = this.#changes.targets[this.#targetOf[slot]!]!
    if (end.wasOpen) {
      this.#changes.clients.disconnected++
      target.disconnected++
      this.#second(atUs).disconnected++
    }
    if (wasConnected) {
      this.#second(atUs).connected--
      this.#absent(slot, atUs)
    }
    if (!this.isReady(slot) && !willRetry) {
      this.#changes.clients.failed++
      if (this.#hasOpened[slot] === 0) this.#changes.clients.unopened++
      target.failed++
    }
  }

  /** Whether the client was ready at least once. */
  isReady(slot: number): boolean {
    return this.firstReadyUs[slot]! < Number.POSITIVE_INFINITY
  }

  /**
   * When the last absence that began before `beforeUs` ended; infinite when it still lasts, minus infinity when there was none. Whatever
   * was sent before this moment and did not arrive was missed.
   */
  backUs(slot: number, beforeUs: number): number {
    let backUs = Number.NEGATIVE_INFINITY
    for (const { fromUs, untilUs } of this.#absences.get(slot) ?? []) {
      if (fromUs < beforeUs) backUs = Math.max(backUs, untilUs)
    }
    return backUs
  }

  lastEnd(slot: number): LastEnd | undefined {
    return this.#lastEnds.get(slot)
  }

  localAddress(slot: number): string {
    return this.#localAddresses[slot]!
  }

  localPort(slot: number): number {
    return this.#localPorts[slot]!
  }

  take(): MembershipChanges {
    const { readyClients, ...counted } = this.#changes
    this.#changes = noChanges(this.#targets)
    readyClients.sort((a, b) => a.client - b.client)
    return {
      ...counted,
      connectLatencyUs: this.#connectLatency.take(),
      readyLatencyUs: this.#readyLatency.take(),
      readyClients: { client: readyClients.map(({ client }) => client), readyUs: readyClients.map(({ readyUs }) => readyUs) },
    }
  }

  #absent(slot: number, fromUs: number): void {
    const absence = { fromUs, untilUs: Number.POSITIVE_INFINITY }
    const known = this.#absences.get(slot)
    if (known === undefined) this.#absences.set(slot, [absence])
    else known.push(absence)
  }

  #countEnd(end: EndOfConnection): void {
    const { errorsByCode, endings } = this.#changes
    if (end.code !== undefined) errorsByCode[end.code] = (errorsByCode[end.code] ?? 0) + 1
    const text = end.httpStatus !== undefined ? `http ${end.httpStatus}` : end.closeCode !== undefined ? String(end.closeCode) : undefined
    if (text !== undefined) endings[text] = (endings[text] ?? 0) + 1
  }

  #second(atUs: number): MembershipSecond {
    const second = Math.floor(usToSeconds(atUs))
    let counts = this.#changes.seconds.get(second)
    if (counts === undefined) {
      counts = { opened: 0, ready: 0, connected: 0, disconnected: 0 }
      this.#changes.seconds.set(second, counts)
    }
    return counts
  }
}

const noChanges = (targets: number) => ({
  clients: emptyClientCounts(),
  errorsByCode: {} as Partial<Record<CountedCode, number>>,
  errorTexts: {} as Partial<Record<CountedCode, string>>,
  endings: {} as Record<string, number>,
  portRetries: 0,
  firstDialUs: undefined as number | undefined,
  lastReadyUs: undefined as number | undefined,
  readyClients: [] as { readonly client: number; readonly readyUs: number }[],
  seconds: new Map<number, MembershipSecond>(),
  targets: Array.from({ length: targets }, (): TargetMembership => ({ opened: 0, ready: 0, failed: 0, disconnected: 0 })),
})
