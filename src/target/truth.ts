/**
 * The truth log: what the target did wrong on purpose, event by event, and each client's account. A test compares a ledger
 * with it. Written as data and as lines of JSON; it decides nothing.
 */
import type { WriteStream } from 'node:fs'
import { streamText } from '../probe/codec.ts'
import { Account, type EndingKind } from './account.ts'
import { BroadcastLog } from './broadcast-log.ts'
import { epochUs } from './clock.ts'
import type { Habit } from './habits/habit.ts'
import type { ProbeName } from './probe-name.ts'
import { appendSequence, type SequenceRange } from './sequence-range.ts'

/** Most broadcasts and most events remembered; past it the log says that it is cut. */
const REMEMBERED_MAX = 1_000_000

/** One thing done on purpose. Fields that make no sense for the kind are absent. */
export interface TruthEvent {
  readonly atUs: number
  /** The habit or deed, for example `drop`; see docs/target.md. */
  readonly kind: string
  /** Number of the handshake, from 0. */
  readonly client?: number
  readonly remoteAddress?: string
  readonly remotePort?: number
  /** The stream name the probe was, or would have been, sent under. */
  readonly stream?: string
  readonly run?: string
  readonly probeStream?: number
  readonly sequence?: number
  readonly [detail: string]: unknown
}

/** A client, as events name it. */
export type Who = Pick<Account, 'client' | 'remoteAddress' | 'remotePort'>

/** What one client was sent of one probe stream. */
export interface StreamTruth {
  readonly stream: string
  readonly run: string
  /** As in the token: four characters of [0-9a-z]. */
  readonly probeStream: string
  /** What was handed to the kernel, in order. */
  readonly written: SequenceRange[]
  /** The part of it that was surely received: the client answered a later ping, or the connection ended in order. */
  readonly acknowledged: SequenceRange[]
  readonly dropped: number[]
  /** One entry for each further copy. */
  readonly repeated: number[]
  readonly swapped: [first: number, second: number][]
}

export interface ClientTruth {
  readonly client: number
  readonly remoteAddress: string
  readonly remotePort: number
  /** Of the request line, without a query: clients that are to be told apart may be given paths of their own. */
  readonly path: string
  readonly openedUs: number
  readonly acknowledgedUs: number | undefined
  readonly closedUs: number | undefined
  /** Undefined while the connection is open. */
  readonly ending: EndingKind | undefined
  readonly closeCode: number | undefined
  /** The client proved that it had read everything: both close frames, or its end of the stream after the target's. */
  readonly isOrderly: boolean
  readonly streams: readonly StreamTruth[]
}

export class Truth {
  readonly log = new BroadcastLog(REMEMBERED_MAX)
  readonly events: TruthEvent[] = []
  readonly #accounts = new Map<number, Account>()
  readonly #file: WriteStream | undefined
  #noted = 0

  /** `file` gets each event as it happens; the accounts follow at the end. */
  constructor(file?: WriteStream) {
    this.#file = file
  }

  /** Whether more happened than is remembered here; a file, if there is one, still has all events. */
  get isCut(): boolean {
    return this.log.isCut || this.#noted > REMEMBERED_MAX
  }

  note(kind: string, whom?: Who, details: Readonly<Record<string, unknown>> = {}): void {
    const who = whom && { client: whom.client, remoteAddress: whom.remoteAddress, remotePort: whom.remotePort }
    const event: TruthEvent = { atUs: epochUs(), kind, ...who, ...details }
    this.#noted += 1
    if (this.#noted <= REMEMBERED_MAX) this.events.push(event)
    this.#file?.write(`${JSON.stringify(event)}\n`)
  }

  open(client: ConstructorParameters<typeof Account>[0]): Account {
    const account = new Account(client)
    this.#accounts.set(account.client, account)
    return account
  }

  /** The accounts of all clients that were answered with 101, in the order of their handshakes. */
  clients(): ClientTruth[] {
    return [...this.#clientTruths()]
  }

  *#clientTruths(): Generator<ClientTruth> {
    const events = new Map<number, TruthEvent[]>()
    for (const event of this.events) {
      if (event.client === undefined) continue
      const own = events.get(event.client)
      if (own === undefined) events.set(event.client, [event])
      else own.push(event)
    }
    for (const account of this.#accounts.values()) yield clientTruth(account, this.log, events.get(account.client) ?? [])
  }

  client(number: number): ClientTruth | undefined {
    const account = this.#accounts.get(number)
    return (
      account &&
      clientTruth(
        account,
        this.log,
        this.events.filter((event) => event.client === number),
      )
    )
  }

  /** Lines of JSON: the events, then one `client` line for each account, then one `end` line. */
  *lines(): Generator<string> {
    for (const event of this.events) yield `${JSON.stringify(event)}\n`
    yield* this.closingLines()
  }

  *closingLines(): Generator<string> {
    for (const client of this.#clientTruths()) yield `${JSON.stringify({ kind: 'client', ...client })}\n`
    yield `${JSON.stringify({ kind: 'end', atUs: epochUs(), broadcasts: this.log.length, events: this.#noted, isCut: this.isCut })}\n`
  }
}

/** Events that a client's account repeats. */
const BOOKED_KINDS: ReadonlySet<string> = new Set(['drop', 'repeat', 'swap'] satisfies Habit['kind'][])

/** The fields of an event that name a probe. */
export const probeFields = (stream: string, probe: ProbeName | undefined) => ({ stream, ...probe })

function clientTruth(account: Account, log: BroadcastLog, events: readonly TruthEvent[]): ClientTruth {
  const streams = new Map<string, StreamTruth>()
  const streamOf = (stream: string, run: string, probeStream: number): StreamTruth => {
    const key = `${stream} ${run} ${probeStream}`
    const known = streams.get(key) ?? emptyStream(stream, run, probeStream)
    streams.set(key, known)
    return known
  }
  for (const { broadcast, isAcknowledged } of account.written(log)) {
    if (broadcast.probe === undefined) continue
    const books = streamOf(broadcast.stream, broadcast.probe.run, broadcast.probe.probeStream)
    appendSequence(books.written, broadcast.probe.sequence)
    if (isAcknowledged) appendSequence(books.acknowledged, broadcast.probe.sequence)
  }
  for (const { kind, stream = '', run, probeStream, sequence, second } of events) {
    if (!BOOKED_KINDS.has(kind) || run === undefined || probeStream === undefined || sequence === undefined) continue
    const books = streamOf(stream, run, probeStream)
    if (kind === 'drop') books.dropped.push(sequence)
    if (kind === 'repeat') books.repeated.push(sequence)
    if (kind === 'swap' && typeof second === 'number') books.swapped.push([sequence, second])
  }
  return {
    client: account.client,
    remoteAddress: account.remoteAddress,
    remotePort: account.remotePort,
    path: account.path,
    openedUs: account.openedUs,
    acknowledgedUs: account.acknowledgedUs,
    closedUs: account.ending?.atUs,
    ending: account.ending?.kind,
    closeCode: account.ending?.code,
    isOrderly: account.ending?.isOrderly ?? false,
    streams: [...streams.values()],
  }
}

const emptyStream = (stream: string, run: string, probeStream: number): StreamTruth => ({
  stream,
  run,
  probeStream: streamText(probeStream),
  written: [],
  acknowledged: [],
  dropped: [],
  repeated: [],
  swapped: [],
})
