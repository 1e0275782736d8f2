/**
 * The books of one receiver thread: everything the receive path and the connections tell, booked at once and handed over as a
 * snapshot once a second. This file decides what a delivery is; how it is kept is known by the parts it holds.
 *
 * `delivery` is the hot path: flat, no allocation, see bench/books.ts for what it costs.
 */
import { CANARY_STREAM, type Stamp, WARMUP_STREAM } from '../probe/probe.ts'
import { mbToBytes } from '../units.ts'
import type { Clock } from './clock.ts'
import { DeliveryFigures } from './delivery-figures.ts'
import { Fanout } from './fanout.ts'
import { HeardStreams } from './heard.ts'
import { Booking, Ledger, MAX_LEDGER_SEQUENCE } from './ledger.ts'
import { type EndOfConnection, Membership } from './membership.ts'
import { type HeardProbes, owedProbes } from './owed.ts'
import type { PublisherLog } from './publisher-log.ts'
import { RosterRows } from './roster-rows.ts'
import { type OddBookings, type OpenBooks, type Settlement, type Shortfall, settleBooks, shortfallSoFar } from './settlement.ts'
import { SideBooks } from './side-books.ts'
import type { Snapshot } from './snapshot.ts'
import { emptyDeliveryCounts } from './snapshot-merge.ts'
import { booksSnapshot } from './snapshot-of-books.ts'
import type { ThreadWatch } from './thread-watch.ts'
import { worstClients } from './worst-clients.ts'

export interface BooksOptions {
  readonly clock: Clock
  readonly replica: number
  readonly thread: number
  /** The latencies of sentinels stand in the crowd's figures and once more beside them. */
  readonly role: 'crowd' | 'sentinels'
  /** Client indices (in the roster of the run) by slot. */
  readonly clients: readonly number[]
  /** Index into WS_ADDR by slot. */
  readonly targetOf: readonly number[]
  /** Stream indices that the client of a slot subscribes to; at least one. */
  readonly streamsOf: (slot: number) => readonly number[]
  /** Sequences of a stream are below this; undefined when nobody knows how many there will be. */
  readonly sequenceLimit: number | undefined
  /** This thread's share of LEDGER_MEMORY_MB. */
  readonly ledgerMemoryMb: number
  /** RESEND=on: a probe may come with several sent times. */
  readonly expectsResends: boolean
  readonly watch: ThreadWatch
}

/** Of the memory of the books, each for canary, warm-up, and which probes were heard at all. */
const SIDE_SHARE = 1 / 16

export class Books {
  readonly #options: BooksOptions
  readonly #sequenceLimit: number
  readonly #watch: ThreadWatch
  readonly #rows: RosterRows
  readonly #ledger: Ledger
  readonly #canary: SideBooks
  readonly #warmup: SideBooks
  readonly #membership: Membership
  readonly #figures: DeliveryFigures
  readonly #heard: HeardStreams
  /** By position of the stream. */
  readonly #fanouts: Fanout[]
  readonly #deliveredOf: Uint32Array
  readonly #odd: OddBookings
  readonly #targetOf: Int32Array
  #counts = emptyDeliveryCounts()
  #resent = { duplicates: 0, outOfOrder: 0 }
  #otherFrames: Record<string, number> = {}
  #takenUs: number
  #isSettled = false
  /** What `expect` and `settle` found, and how much of it snapshots have told already. */
  #shortfall: Shortfall = NO_SHORTFALL
  #toldShortfall: Shortfall = NO_SHORTFALL
  #settlement: Settlement | undefined
  #settledBySlot: Settlement['bySlot'] | undefined
  #worstClients: Snapshot['worstClients'] = []
  #toldBytes = 0

  constructor(options: BooksOptions, makeLedger = (rows: number, maxBytes: number) => new Ledger(rows, maxBytes)) {
    const { clients, targetOf, streamsOf, clock } = options
    const slots = clients.length
    const bytes = mbToBytes(options.ledgerMemoryMb)
    this.#options = options
    this.#watch = options.watch
    this.#sequenceLimit = Math.min(options.sequenceLimit ?? Number.POSITIVE_INFINITY, MAX_LEDGER_SEQUENCE + 1)
    this.#rows = new RosterRows(slots, streamsOf)
    this.#ledger = makeLedger(this.#rows.count, bytes * (1 - 3 * SIDE_SHARE))
    this.#canary = new SideBooks(slots, bytes * SIDE_SHARE)
    this.#warmup = new SideBooks(slots, bytes * SIDE_SHARE)
    this.#membership = new Membership(clients, targetOf)
    this.#figures = new DeliveryFigures(Math.max(-1, ...new Set(targetOf)) + 1)
    this.#heard = new HeardStreams(this.#rows.streams, bytes * SIDE_SHARE, options.expectsResends)
    this.#fanouts = this.#rows.streams.map((stream) => new Fanout(stream))
    this.#deliveredOf = new Uint32Array(this.#rows.count)
    this.#odd = {
      duplicated: new Uint32Array(slots),
      outOfOrder: new Uint32Array(slots),
      early: new Uint32Array(slots),
      late: new Uint32Array(slots),
      unexpected: new Uint32Array(slots),
    }
    this.#targetOf = Int32Array.from(targetOf)
    this.#takenUs = clock.nowUs()
  }

  // --- the receive path ---

  /**
   * Books one token of this run that a client received at `receivedUs` on the run clock. The stamp is handed on as it is: numbers that are
   * no small integers would be allocated at every call that is not inlined.
   */
  delivery(slot: number, stamp: Stamp, receivedUs: number, isRedelivery: boolean): void {
    const row = this.#rows.find(slot, stamp.stream)
    if (row < 0 || stamp.sequence >= this.#sequenceLimit) {
      this.#outside(slot, stamp, isRedelivery)
      return
    }
    if (stamp.sentUs < this.#membership.firstReadyUs[slot]!) {
      this.#counts.early++
      this.#odd.early[slot]!++
      return
    }
    // Below the limit, so it is a 32-bit integer.
    const sequence = stamp.sequence | 0
    const booking = this.#ledger.book(row, sequence)
    if (booking !== Booking.inOrder || this.#isSettled) {
      if (!this.#bookOdd(slot, row, stamp, booking, isRedelivery)) return
    }
    this.#deliveredOf[row]!++
    this.#figures.record(this.#targetOf[slot]!, stamp, receivedUs)
    this.#watch.delivered(receivedUs)
    const position = this.#rows.positionOf[row]!
    if (!this.#fanouts[position]!.add(sequence, stamp, receivedUs)) this.#heard.note(position, sequence, stamp.sentUs)
  }

  /** Another run's token. */
  foreign(): void {
    this.#counts.foreign++
  }

  /** A frame that held no token, by its kind. */
  otherFrame(kind: string): void {
    this.#otherFrames[kind] = (this.#otherFrames[kind] ?? 0) + 1
  }

  /** Canary and warm-up probes, and what the client never subscribed to. */
  #outside(slot: number, { stream, sequence, sentUs }: Stamp, isRedelivery: boolean): void {
    const isEarly = sentUs < this.#membership.firstReadyUs[slot]!
    if (stream === CANARY_STREAM) this.#canary.book(slot, sequence, isEarly, isRedelivery)
    else if (stream === WARMUP_STREAM) this.#warmup.book(slot, sequence, isEarly, isRedelivery)
    else {
      this.#counts.unexpected++
      this.#odd.unexpected[slot]!++
    }
  }

  /** Copies, order breaks, and whatever comes after the drain; true when it still is a first delivery in time. */
  #bookOdd(slot: number, row: number, { sequence, sentUs }: Stamp, booking: number, isRedelivery: boolean): boolean {
    const isResent = this.#heard.isResent(this.#rows.positionOf[row]!, sequence, sentUs)
    if (booking === Booking.copy) {
      if (isRedelivery) this.#counts.redelivered++
      else if (isResent) this.#resent.duplicates++
      else {
        this.#counts.duplicated++
        this.#odd.duplicated[slot]!++
      }
      return false
    }
    if (this.#isSettled) {
      this.#counts.late++
      this.#odd.late[slot]!++
      return false
    }
    if (booking === Booking.outOfOrder) {
      if (isResent) this.#resent.outOfOrder++
      else {
        this.#counts.outOfOrder++
        this.#odd.outOfOrder[slot]!++
      }
    }
    return true
  }

  // --- connections ---

  dialed(slot: number, atUs: number): void {
    this.#membership.dialed(slot, atUs)
  }

  /** A dial is repeated because the local port was busy. */
  portRetried(): void {
    this.#membership.portRetried()
  }

  opened(slot: number, atUs: number, localAddress: string, localPort: number): void {
    this.#membership.opened(slot, atUs, localAddress, localPort)
  }

  /** The subscription was acknowledged; once per connection. */
  ready(slot: number, atUs: number): void {
    this.#membership.ready(slot, atUs)
  }

  /** A dial or a connection ended. `willRetry`: the client dials again, so it has not failed yet. */
  ended(slot: number, atUs: number, end: EndOfConnection, willRetry = false): void {
    this.#membership.ended(slot, atUs, end, willRetry, this.#watch.busyUs(atUs))
  }

  // --- what is owed ---

  /** Published probes without a confirm that somebody on this thread heard. Their union over threads and replicas goes into `expect` and `settle`. */
  heard(log: PublisherLog): HeardProbes {
    return this.#heard.undecided(log)
  }

  /**
   * Tells what is owed so far: the next snapshot holds `measured.expected`, and as missed what clients that were away will not get. May
   * be called again with a newer log; after `settle` it changes nothing.
   */
  expect(log: PublisherLog, heard: HeardProbes = this.heard(log)): void {
    if (this.#isSettled) return
    this.#shortfall = shortfallSoFar(this.#openBooks(), owedProbes(log, heard))
  }

  /**
   * The drain ended at `drainEndedUs`: every hole is missed or lost, and first deliveries from now on are late. Once; further calls
   * change nothing.
   */
  settle(log: PublisherLog, drainEndedUs: number, heard: HeardProbes = this.heard(log)): void {
    if (this.#isSettled) return
    this.#isSettled = true
    this.#settlement = settleBooks(this.#openBooks(), owedProbes(log, heard), drainEndedUs)
    this.#settledBySlot = this.#settlement.bySlot
    this.#shortfall = this.#settlement
  }

  /** Nothing more will be received: the next snapshot names the worst clients, with what came after the books were settled. */
  close(): void {
    if (this.#settledBySlot !== undefined) this.#worstClients = worstClients(this.#openBooks(), this.#settledBySlot)
  }

  #openBooks(): OpenBooks {
    const { replica, clients, targetOf } = this.#options
    return {
      replica,
      clients,
      targetOf,
      rows: this.#rows,
      ledger: this.#ledger,
      membership: this.#membership,
      deliveredOf: this.#deliveredOf,
      odd: this.#odd,
    }
  }

  // --- handing over ---

  /** Everything that happened since the last snapshot. */
  takeSnapshot(): Snapshot {
    const nowUs = this.#options.clock.nowUs()
    const snapshot = booksSnapshot({
      fromUs: this.#takenUs,
      toUs: nowUs,
      clockBoundUs: this.#options.clock.boundUs,
      isSentinels: this.#options.role === 'sentinels',
      membership: this.#membership.take(),
      deliveries: this.#figures.take(),
      counts: this.#counts,
      shortfall: {
        expected: this.#shortfall.expected - this.#toldShortfall.expected,
        missed: this.#shortfall.missed - this.#toldShortfall.missed,
        lost: this.#shortfall.lost - this.#toldShortfall.lost,
      },
      settlement: this.#settlement,
      worstClients: this.#worstClients,
      canary: this.#canary.take(),
      warmup: this.#warmup.take(),
      resent: this.#resent,
      otherFrames: this.#otherFrames,
      highestSequence: this.#heard.highest(),
      fanouts: this.#fanouts.map((fanout) => fanout.take()),
      health: this.#watch.take(),
      ledgerBytes: this.#takeLedgerBytes(),
      isLedgerOverflowed: this.#parts().some((part) => part.isOverflowed),
    })
    this.#takenUs = nowUs
    this.#counts = emptyDeliveryCounts()
    this.#resent = { duplicates: 0, outOfOrder: 0 }
    this.#otherFrames = {}
    this.#toldShortfall = this.#shortfall
    this.#settlement = undefined
    this.#worstClients = []
    return snapshot
  }

  /** Changes, as all numbers of a snapshot: pages of the ledger come and go. */
  #takeLedgerBytes(): number {
    const bytes = this.#parts().reduce((sum, part) => sum + part.bytes, 0)
    const change = bytes - this.#toldBytes
    this.#toldBytes = bytes
    return change
  }

  #parts(): readonly { readonly bytes: number; readonly isOverflowed: boolean }[] {
    return [this.#ledger, this.#canary, this.#warmup, this.#heard]
  }
}

const NO_SHORTFALL: Shortfall = { expected: 0, missed: 0, lost: 0 }
