/**
 * Who is connected and what each is subscribed to, from admission to the last byte. It keeps the accounts in step with it:
 * a client follows the broadcast log from the moment it joins an audience until it leaves.
 */
import type { Socket } from 'node:net'
import type { EndingKind } from './account.ts'
import type { Audiences } from './audience.ts'
import type { Client } from './client.ts'
import { epochUs } from './clock.ts'
import type { HabitBook } from './habits/habit-book.ts'
import type { Hub } from './hub.ts'
import type { KeptStreams } from './kept-streams.ts'
import { Lane, type LaneParts } from './lane.ts'
import type { Outbox } from './outbox.ts'
import { topicOf } from './subscription.ts'
import type { Truth } from './truth.ts'

export interface MembersParts {
  readonly hub: Hub
  readonly audiences: Audiences
  readonly outbox: Outbox
  readonly kept: KeptStreams
  readonly book: HabitBook
  readonly truth: Truth
  readonly laneParts: LaneParts
}

export class Members {
  readonly clients = new Set<Client>()
  readonly #parts: MembersParts

  constructor(parts: MembersParts) {
    this.#parts = parts
  }

  /** A client whose handshake was answered; it hears nothing yet. */
  admit(socket: Socket, who: { number: number; remoteAddress: string; remotePort: number; path: string; uid: string | undefined }): Client {
    const nowMs = performance.now()
    const client: Client = {
      number: who.number,
      socket,
      uid: who.uid,
      account: this.#parts.truth.open({ ...who, openedUs: epochUs() }),
      streams: [],
      audience: undefined,
      slot: 0,
      backlog: undefined,
      lane: undefined,
      partialFrame: undefined,
      fragments: undefined,
      lastPingMs: nowMs,
      lastPongMs: nowMs,
      pinged: undefined,
      leaving: undefined,
    }
    this.clients.add(client)
    this.#chooseLane(client)
    return client
  }

  /** Replaces the client's subscriptions. What is pending is written first: nobody hears what came before it joined. */
  setStreams(client: Client, streams: readonly string[]): void {
    this.#parts.hub.settle()
    this.#quit(client)
    const added = streams.filter((stream) => !client.streams.includes(stream))
    client.streams = streams
    for (const message of added.flatMap((stream) => this.#parts.kept.historyOf(topicOf(stream, client.uid)))) {
      if (client.leaving !== undefined) return
      client.account.list(message.broadcast)
      this.#parts.outbox.deliver(client, { bytes: message.frame, frames: 1, broadcasts: 1 })
    }
    if (client.leaving === undefined) this.#join(client)
  }

  /** Habits have changed: whoever they concern now is served apart, the others together again. */
  refit(): void {
    this.#parts.hub.settle()
    const nowMs = performance.now()
    for (const client of this.clients) {
      if (client.leaving !== undefined) continue
      client.lastPongMs = nowMs
      client.account.stopFollowing(this.#parts.hub.sweptPosition)
      this.#chooseLane(client)
      this.#follow(client)
    }
  }

  /** The client hears nothing more, and what waits for it is dropped. How the connection ends is the caller's business. */
  leave(client: Client, kind: EndingKind, code: number | undefined): void {
    client.leaving = { kind, code, hasSentEnd: false, hasReceivedEnd: false, hasSentClose: false, hasReceivedClose: false }
    this.#quit(client)
    client.lane?.discard()
    client.account.unwrite(this.#parts.outbox.discard(client), this.#parts.truth.log)
  }

  /** The socket is gone: the account is closed. */
  remove(client: Client, hadError: boolean): void {
    if (client.leaving === undefined) this.leave(client, 'connection-lost', undefined)
    clearTimeout(client.leaving?.timer)
    const { kind, code, hasSentEnd, hasReceivedEnd, hasSentClose, hasReceivedClose } = client.leaving as NonNullable<Client['leaving']>
    const hasShakenHands = kind === 'cut-by-target' ? hasSentEnd : hasSentClose && hasReceivedClose
    client.account.ending = { kind, code, atUs: epochUs(), isOrderly: !hadError && hasReceivedEnd && hasShakenHands }
    this.clients.delete(client)
  }

  #join(client: Client): void {
    this.#parts.audiences.join(client)
    this.#follow(client)
  }

  /** A client with a lane is told, and booked, probe by probe; everybody else follows the log. */
  #follow(client: Client): void {
    if (client.audience !== undefined && client.lane === undefined) {
      client.account.follow(client.audience.topics, this.#parts.hub.sweptPosition)
    }
  }

  #quit(client: Client): void {
    client.account.stopFollowing(this.#parts.hub.sweptPosition)
    this.#parts.audiences.leave(client)
  }

  #chooseLane(client: Client): void {
    const habits = this.#parts.book.deliveryHabits(client.number)
    if (client.lane !== undefined)
      client.lane.habits = habits // and it goes on with what is on its way
    else if (habits.length > 0) client.lane = new Lane(client, habits, this.#parts.laneParts)
    if (client.lane?.isEmpty && habits.length === 0) client.lane = undefined
  }
}
