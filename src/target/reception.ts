/**
 * What happens with a guest once it is through the door: it is admitted, subscribed and acknowledged, and from then on what it
 * says is answered as rango answers.
 */
import type { Socket } from 'node:net'
import type { Client } from './client.ts'
import { epochUs } from './clock.ts'
import { errorText, PONG_TEXT, readAsk, refusalText, subscribedText, unsubscribedText } from './conversation.ts'
import type { Departures } from './departures.ts'
import type { Guest } from './door.ts'
import { pongFrame, textFrame } from './frame.ts'
import type { Gate } from './gate.ts'
import type { HabitBook } from './habits/habit-book.ts'
import { type InboundHandler, readInbound } from './inbound.ts'
import type { Members } from './members.ts'
import type { Outbox } from './outbox.ts'
import { subscribe, unsubscribe } from './subscription.ts'
import type { Truth } from './truth.ts'

export interface ReceptionParts {
  readonly members: Members
  readonly departures: Departures
  readonly outbox: Outbox
  readonly book: HabitBook
  readonly gate: Gate
  readonly truth: Truth
}

export class Reception {
  readonly #parts: ReceptionParts
  readonly #inbound: InboundHandler<Client>

  constructor(parts: ReceptionParts) {
    this.#parts = parts
    const { departures, outbox } = parts
    this.#inbound = {
      message: (client, payload) => this.#hear(client, payload.toString()),
      ping: (client, payload) => outbox.say(client, pongFrame(payload)),
      pong: (client, payload) => this.#takePong(client, payload.toString()),
      close: (client, code) => departures.answerClose(client, code),
      fault: (client, code, reason) => departures.part(client, { kind: 'protocol-error', how: 'close', code, reason }),
    }
  }

  receive(socket: Socket, guest: Guest): void {
    const { members, departures, gate } = this.#parts
    const client = members.admit(socket, { ...guest, path: guest.target.path })
    socket.on('data', (chunk: Buffer) => gate.pass(() => this.#read(client, chunk)))
    socket.on('end', () => gate.pass(() => departures.takeEnd(client)))
    socket.on('close', (hadError) => members.remove(client, hadError))
    socket.cork() // the answer and what is said first go out together
    socket.write(guest.answer)
    this.#subscribe(client, guest.target.streams)
    socket.uncork()
    if (guest.head.length > 0) this.#read(client, guest.head)
  }

  #read(client: Client, chunk: Buffer): void {
    if (!client.socket.destroyed && client.leaving?.hasReceivedClose !== true) readInbound(client, chunk, this.#inbound)
  }

  #hear(client: Client, text: string): void {
    if (client.leaving !== undefined) return
    const ask = readAsk(text)
    if (ask.kind === 'ping') this.#say(client, PONG_TEXT)
    else if (ask.kind === 'wrong') this.#say(client, errorText(ask.text))
    else if (ask.kind === 'subscribe') this.#subscribe(client, ask.streams)
    else {
      this.#parts.members.setStreams(client, unsubscribe(client.streams, ask.streams))
      this.#acknowledge(client, unsubscribedText(client.streams))
    }
  }

  #subscribe(client: Client, wanted: readonly string[]): void {
    const { streams, refused } = subscribe(client.streams, wanted, client.uid)
    for (const stream of refused) this.#say(client, refusalText(stream))
    this.#parts.members.setStreams(client, streams)
    this.#acknowledge(client, subscribedText(streams))
  }

  #acknowledge(client: Client, text: string): void {
    const habit = this.#parts.book.ackHabit(client.number)
    if (habit !== undefined) this.#parts.truth.note(habit.kind, client.account, habit.kind === 'late-ack' ? { ms: habit.ms } : {})
    if (habit === undefined) this.#sayAcknowledged(client, text)
    else if (habit.kind === 'late-ack') {
      setTimeout(() => this.#parts.gate.pass(() => this.#sayAcknowledged(client, text)), habit.ms).unref()
    }
  }

  #sayAcknowledged(client: Client, text: string): void {
    if (client.leaving !== undefined) return
    client.account.acknowledgedUs ??= epochUs()
    this.#say(client, text)
  }

  #say(client: Client, text: string): void {
    this.#parts.outbox.say(client, textFrame(text))
  }

  #takePong(client: Client, payload: string): void {
    client.lastPongMs = performance.now()
    if (client.pinged?.payload !== payload) return
    client.account.acknowledge(client.pinged.mark)
    client.pinged = undefined
  }
}
