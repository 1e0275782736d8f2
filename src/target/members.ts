/**
 * Who is connected and what each is subscribed to, from admission to the last byte. It keeps the accounts in step with it:
 * a client follows the broadcast log from the moment it joins an audience until it leaves.
 */
import type { Socket } from 'node:net'
import type { EndingKind } from './account.ts'
import type { Audiences } from './audience.ts'
import type { Client } from './client.ts'
import { epochUs } from './clock.ts'
import { closeFrame } from './frame.ts'
import type { EndManner } from './habits/habit.ts'
import type { HabitBook } from './habits/habit-book.ts'
import type { Hub } from './hub.ts'
import type { KeptStreams } from './kept-streams.ts'
import { Lane, type LaneParts } from './lane.ts'
import type { Outbox } from './outbox.ts'
import { topicOf } from './subscription.ts'
import type { Truth } from './truth.ts'

/** How long a client may take to answer a close frame or the end of the stream before the socket is destroyed. */
const CLOSE_GRACE_MS = 1_000
const CLOSE_CODE_NORMAL = 1000

export interface MembersParts {
  readonly hub: Hub
  readonly audiences: Audiences
  readonly outbox: Outbox
  readonly kept: KeptStreams
  readonly book: HabitBook
  readonly truth: Truth
  readonly laneParts: Omit<LaneParts, 'onEnd'>
}

/** How the target parts with a client. `destroy` closes TCP without waiting, as for a client that does not read. */
export interface Parting {
  readonly kind: EndingKind
  readonly how: EndManner | 'destroy'
  readonly code?: number | undefined
  readonly reason?: string | undefined
}

export class Members {
  readonly clients = new Set<Client>()
  readonly #parts: MembersParts
  readonly #laneParts: LaneParts

  constructor(parts: MembersParts) {
    this.#parts = parts
    this.#laneParts = { ...parts.laneParts, onEnd: (client, end) => this.end(client, end) }
  }

  /** A client whose handshake was answered; it hears nothing yet. */
  admit(socket: Socket, who: { number: number; remoteAddress: string; remotePort: number; uid: string | undefined }): Client {
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
      this.#quit(client)
      this.#chooseLane(client)
      this.#join(client)
    }
  }

  /** Ends a connection on purpose, and says so in the truth log. */
  end(client: Client, { how, code, reason }: { how: EndManner; code?: number; reason?: string }): void {
    const closeCode = how === 'close' ? (code ?? CLOSE_CODE_NORMAL) : undefined
    const kinds = { close: 'closed-by-target', cut: 'cut-by-target', reset: 'reset-by-target' } as const
    this.#parts.truth.note(how, client.account, closeCode === undefined ? {} : { code: closeCode })
    this.part(client, { kind: kinds[how], how, code: closeCode, reason })
  }

  /** Parts with a client: it hears nothing more, and what waits for it is dropped. */
  part(client: Client, parting: Parting): void {
    if (client.leaving !== undefined) return
    this.#leave(client, parting.kind, parting.code)
    const { socket } = client
    if (parting.how === 'reset') reset(socket)
    else if (parting.how === 'destroy') socket.destroy()
    else if (parting.how === 'cut') this.sendEnd(client)
    else {
      this.#patiently(client).hasSentClose = true
      socket.write(closeFrame(parting.code, parting.reason))
      // rango waits for no answer once a client has broken the protocol.
      if (parting.kind === 'protocol-error') this.sendEnd(client)
    }
  }

  /** The client has sent its close frame: it gets one back, and the end of the stream. */
  answerClose(client: Client, code: number | undefined): void {
    if (client.leaving === undefined) {
      this.#leave(client, 'closed-by-client', code)
      client.socket.write(closeFrame(code))
    }
    const leaving = this.#patiently(client)
    leaving.hasSentClose = true
    leaving.hasReceivedClose = true
    this.sendEnd(client)
  }

  /** Ends our side of the stream. */
  sendEnd(client: Client): void {
    this.#patiently(client).hasSentEnd = true
    client.socket.end()
  }

  /** The client's side of the stream has ended. */
  takeEnd(client: Client): void {
    if (client.leaving === undefined) this.#leave(client, 'connection-lost', undefined)
    this.#patiently(client).hasReceivedEnd = true
    client.socket.end()
  }

  /** The socket is gone: the account is closed. */
  remove(client: Client, hadError: boolean): void {
    if (client.leaving === undefined) this.#leave(client, 'connection-lost', undefined)
    const { kind, code, hasSentEnd, hasReceivedEnd, hasSentClose, hasReceivedClose } = client.leaving as NonNullable<Client['leaving']>
    const hasShakenHands = kind === 'cut-by-target' ? hasSentEnd : hasSentClose && hasReceivedClose
    client.account.ending = { kind, code, atUs: epochUs(), isOrderly: !hadError && hasReceivedEnd && hasShakenHands }
    this.clients.delete(client)
  }

  #leave(client: Client, kind: EndingKind, code: number | undefined): void {
    client.leaving = { kind, code, hasSentEnd: false, hasReceivedEnd: false, hasSentClose: false, hasReceivedClose: false }
    this.#quit(client)
    client.lane?.discard()
    client.account.unwrite(this.#parts.outbox.discard(client), this.#parts.truth.log)
  }

  #patiently(client: Client): NonNullable<Client['leaving']> {
    const leaving = client.leaving as NonNullable<Client['leaving']>
    leaving.timer ??= setTimeout(() => client.socket.destroy(), CLOSE_GRACE_MS).unref()
    return leaving
  }

  #join(client: Client): void {
    this.#parts.audiences.join(client)
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
    if (client.lane !== undefined) client.lane.habits = habits
    else if (habits.length > 0) client.lane = new Lane(client, habits, this.#laneParts)
    if (client.lane?.isEmpty && habits.length === 0) client.lane = undefined
  }
}

/** Sends RST at once: by itself `resetAndDestroy` first waits until all is written, which a client that does not read prevents. */
function reset(socket: Socket): void {
  socket.resetAndDestroy()
  socket.destroy()
}
