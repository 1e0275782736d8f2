/**
 * The way of one client's probes when habits concern it: decide, perhaps hold for a swap or a batch, perhaps wait, then write,
 * in this order and always first in, first out. Clients without habits have no lane and never pass here.
 */
import type { Client } from './client.ts'
import type { Gate } from './gate.ts'
import type { DeliveryHabit } from './habits/habit.ts'
import type { HabitBook } from './habits/habit-book.ts'
import { joinParcels, type Parcel, parcelOf } from './habits/parcel.ts'
import type { Message } from './message.ts'
import type { Batch, Outbox } from './outbox.ts'
import { probeFields, type Truth } from './truth.ts'

const BATCH_WAIT_MS = 100

export interface LaneParts {
  readonly book: HabitBook
  readonly outbox: Outbox
  readonly gate: Gate
  readonly truth: Truth
  /** Ends the connection as the habit says; the lane is discarded then. */
  onEnd(client: Client, end: Extract<DeliveryHabit, { kind: 'end' }>): void
}

export class Lane {
  /** The habits that concern this client. */
  habits: readonly DeliveryHabit[]
  readonly #client: Client
  readonly #parts: LaneParts
  /** Waiting for the second probe of a swap. */
  #held: Parcel[] = []
  /** Waiting for a frame to be full. */
  #joining: Parcel[] = []
  #joinTimer: NodeJS.Timeout | undefined
  /** Waiting for their time. */
  #delayed: { dueMs: number; parcel: Parcel }[] = []
  #delayTimer: NodeJS.Timeout | undefined

  constructor(client: Client, habits: readonly DeliveryHabit[], parts: LaneParts) {
    this.#client = client
    this.habits = habits
    this.#parts = parts
  }

  /** Whether nothing is on its way, so that the lane may be left. */
  get isEmpty(): boolean {
    return this.#held.length + this.#joining.length + this.#delayed.length === 0
  }

  /** `whole` holds all the messages: it is written as it is when no habit meets any of them and nothing is on its way. */
  take(messages: readonly Message[], whole: Batch): void {
    const client = this.#client
    const meetings = messages.map(({ broadcast }) => this.#parts.book.meeting(this.habits, broadcast.probe, client.number))
    if (this.isEmpty && meetings.every((meeting) => meeting.length === 0)) {
      for (const { broadcast } of messages) client.account.list(broadcast)
      this.#parts.outbox.deliver(client, whole)
      return
    }
    for (const [index, message] of messages.entries()) {
      if (client.leaving !== undefined) return
      const parcel = parcelOf(message, meetings[index] ?? [])
      if (parcel === undefined) this.#drop(message)
      else this.#hold(parcel)
    }
  }

  /** Forgets what is on its way; the truth log names what was never written. */
  discard(): void {
    clearTimeout(this.#joinTimer)
    clearTimeout(this.#delayTimer)
    for (const parcel of [...this.#delayed.map((delayed) => delayed.parcel), ...this.#joining, ...this.#held]) {
      const { stream, probe } = parcel.message.broadcast
      this.#parts.truth.note('unwritten', this.#client.account, probeFields(stream, probe))
    }
    this.#delayed = []
    this.#joining = []
    this.#held = []
  }

  #drop({ broadcast }: Message): void {
    this.#parts.truth.note('drop', this.#client.account, probeFields(broadcast.stream, broadcast.probe))
    const swap = this.#held[0]?.swap
    if (swap !== undefined && broadcast.probe?.sequence === swap.second) this.#release()
  }

  /** Holds the first probe of a swap, and all after it, until the second comes. */
  #hold(parcel: Parcel): void {
    const swap = this.#held[0]?.swap
    const sequence = parcel.message.broadcast.probe?.sequence
    if (swap === undefined) {
      if (parcel.swap !== undefined && parcel.swap.first === sequence) this.#held.push(parcel)
      else this.#join(parcel)
      return
    }
    if (parcel.swap !== swap || sequence !== swap.second) {
      this.#held.push(parcel)
      return
    }
    const [first, ...between] = this.#held as [Parcel, ...Parcel[]]
    const { stream, probe } = first.message.broadcast
    const note = { kind: 'swap', details: { ...probeFields(stream, probe), second: sequence } }
    this.#held = [parcel, ...between, { ...first, notes: [...first.notes, note] }]
    this.#release()
  }

  #release(): void {
    const held = this.#held
    this.#held = []
    for (const parcel of held) this.#join(parcel)
  }

  #join(parcel: Parcel): void {
    if (parcel.batch === undefined) {
      this.#flushJoining()
      this.#wait(parcel)
      return
    }
    this.#joining.push(parcel)
    if (this.#joining.length >= parcel.batch.size) this.#flushJoining()
    else if (this.#joining.length === 1) {
      const waitMs = parcel.batch.waitMs ?? BATCH_WAIT_MS
      this.#joinTimer = setTimeout(() => this.#parts.gate.pass(() => this.#flushJoining()), waitMs)
    }
  }

  #flushJoining(): void {
    clearTimeout(this.#joinTimer)
    const joining = this.#joining
    this.#joining = []
    if (joining.length > 0) this.#wait(joinParcels(joining))
  }

  #wait(parcel: Parcel): void {
    if (parcel.delay === undefined && this.#delayed.length === 0) {
      this.#write(parcel)
      return
    }
    const dueMs = Math.max(performance.now() + (parcel.delay?.ms ?? 0), this.#delayed.at(-1)?.dueMs ?? 0)
    this.#delayed.push({ dueMs, parcel: parcel.delay === undefined ? parcel : withDelayNote(parcel, parcel.delay.ms) })
    if (this.#delayed.length === 1) this.#setDelayTimer()
  }

  #setDelayTimer(): void {
    const [next] = this.#delayed
    if (next === undefined) return
    this.#delayTimer = setTimeout(() => this.#parts.gate.pass(() => this.#writeDue()), Math.max(0, next.dueMs - performance.now()))
  }

  #writeDue(): void {
    const nowMs = performance.now()
    while (this.#delayed[0] !== undefined && this.#delayed[0].dueMs <= nowMs) {
      this.#write((this.#delayed.shift() as { parcel: Parcel }).parcel)
    }
    this.#setDelayTimer()
  }

  #write({ frames, broadcasts, notes, end }: Parcel): void {
    const client = this.#client
    if (client.leaving !== undefined) return
    for (const broadcast of broadcasts) client.account.list(broadcast)
    for (const note of notes) this.#parts.truth.note(note.kind, client.account, note.details)
    this.#parts.outbox.deliver(client, { bytes: Buffer.concat(frames), frames: frames.length, broadcasts: broadcasts.length })
    if (end !== undefined && client.leaving === undefined) this.#parts.onEnd(client, end)
  }
}

function withDelayNote(parcel: Parcel, ms: number): Parcel {
  const { stream, probe } = parcel.message.broadcast
  return { ...parcel, notes: [...parcel.notes, { kind: 'delay', details: { ...probeFields(stream, probe), ms } }] }
}
