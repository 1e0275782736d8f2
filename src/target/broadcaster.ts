/**
 * The broadcast server itself, put together from its parts; each part knows one thing. Side ports and files are not its business.
 *
 *   broker -> Consumer -> Hub -> Audience -> Outbox -> clients       Door -> Reception -> Members
 */
import type { AddressInfo } from 'node:net'
import { describeError } from '../errors.ts'
import { Audiences } from './audience.ts'
import { Consumer, type ConsumerSettings } from './consumer.ts'
import { Departures } from './departures.ts'
import { Door } from './door.ts'
import { Gate } from './gate.ts'
import { gaugeText } from './gauges.ts'
import type { Deed, EndManner, Habit } from './habits/habit.ts'
import { HabitBook } from './habits/habit-book.ts'
import { intrude } from './habits/intruder.ts'
import { concernsClient } from './habits/where.ts'
import { Hub } from './hub.ts'
import { Keepalive } from './keepalive.ts'
import { KeptStreams } from './kept-streams.ts'
import type { LaneParts } from './lane.ts'
import { Members } from './members.ts'
import type { Message } from './message.ts'
import { Outbox } from './outbox.ts'
import { Reception } from './reception.ts'
import type { Truth } from './truth.ts'

/** rango's: messages that may wait for a client before it is cut. */
const SLOW_DEPTH = 256

export interface BroadcasterSettings {
  readonly truth: Truth
  /** undefined: nothing comes in but by `broadcast`. */
  readonly broker: Omit<ConsumerSettings, 'onMessage'> | undefined
  log(text: string): void
}

export class Broadcaster {
  readonly #book = new HabitBook()
  readonly #gate = new Gate()
  readonly #audiences = new Audiences()
  readonly #truth: Truth
  readonly #outbox: Outbox
  readonly #hub: Hub
  readonly #members: Members
  readonly #departures: Departures
  readonly #keepalive: Keepalive
  readonly #door: Door
  readonly #consumer: Consumer | undefined
  readonly #log: (text: string) => void
  #address = { host: '', port: 0 }
  #isClosed = false

  constructor({ truth, broker, log }: BroadcasterSettings) {
    const book = this.#book
    const gate = this.#gate
    const audiences = this.#audiences
    const kept = new KeptStreams()
    const outbox = new Outbox({
      slowDepth: (client) => book.liveness('slow-cut', client.number)?.depth ?? SLOW_DEPTH,
      onSlow: (client, depth) => {
        truth.note('slow-client', client.account, { depth })
        this.#departures.part(client, { kind: 'slow-client', how: 'destroy' })
      },
    })
    const hub = new Hub({ audiences, outbox, kept, gate, truth, onMessage: (message) => this.#actWhenDue(message) })
    const onEnd: LaneParts['onEnd'] = (client, end) => this.#departures.end(client, end)
    const members = new Members({ hub, audiences, outbox, kept, book, truth, laneParts: { book, outbox, gate, truth, onEnd } })
    const departures = new Departures(members, truth)
    const reception = new Reception({ members, departures, outbox, book, gate, truth })
    this.#truth = truth
    this.#log = log
    this.#outbox = outbox
    this.#hub = hub
    this.#members = members
    this.#departures = departures
    this.#keepalive = new Keepalive({ members, departures, outbox, book, gate, truth })
    this.#door = new Door({ book, gate, truth, onGuest: (socket, guest) => reception.receive(socket, guest) })
    this.#consumer = broker && new Consumer({ ...broker, onMessage: (key, content) => hub.broadcast(key, content) })
  }

  get habits(): readonly Habit[] {
    return this.#book.habits
  }

  get clientCount(): number {
    return this.#members.clients.size
  }

  get isConsuming(): boolean {
    return this.#consumer?.isConsuming ?? false
  }

  /** Listens; rejects when the address cannot be had. The broker is not waited for. */
  async open(host: string, port: number): Promise<AddressInfo> {
    const address = await this.#door.open(host, port)
    this.#address = { host, port: address.port }
    this.#keepalive.start()
    this.#consumer?.start()
    return address
  }

  /** Ends all clients. Idempotent. */
  async close(): Promise<void> {
    this.#isClosed = true
    this.#keepalive.stop()
    this.#gate.thaw()
    for (const client of this.#members.clients) this.#departures.part(client, { kind: 'cut-by-target', how: 'destroy' })
    await Promise.all([this.#consumer?.stop(), this.#door.close()])
  }

  broadcast(routingKey: string, body: Uint8Array): void {
    this.#hub.broadcast(routingKey, body)
  }

  async whenConsuming(timeoutMs: number): Promise<boolean> {
    return (await this.#consumer?.whenConsuming(timeoutMs)) ?? false
  }

  gaugeText(): string {
    return gaugeText(this.#members, this.#audiences)
  }

  setHabits(habits: readonly Habit[]): void {
    this.#book.set(habits)
    this.#gate.pass(() => this.#members.refit())
    this.#keepalive.start()
  }

  /** Does a deed; a restart resolves once everything is as at the start. */
  async act(deed: Deed): Promise<void> {
    if (deed.kind === 'freeze') this.#freeze(deed.ms)
    else if (deed.kind === 'restart') await this.#restart(deed.downMs ?? 0, deed.how ?? 'cut')
    else {
      for (const client of this.#members.clients) {
        if (client.leaving !== undefined || !concernsClient(deed, client.number)) continue
        if (deed.kind === 'end') this.#departures.end(client, deed)
        else {
          const { bytes } = intrude(deed)
          this.#truth.note(deed.what, client.account, { bytes: bytes.length })
          this.#outbox.say(client, bytes)
        }
      }
    }
  }

  #freeze(ms: number): void {
    this.#truth.note('freeze', undefined, { ms })
    this.#gate.freeze(ms)
  }

  async #restart(downMs: number, how: EndManner): Promise<void> {
    this.#truth.note('restart', undefined, { downMs, how, clients: this.#members.clients.size })
    const { host, port } = this.#address
    for (const client of this.#members.clients) this.#departures.end(client, { how })
    await Promise.all([this.#consumer?.stop(), this.#door.close()])
    await new Promise((resolve) => setTimeout(resolve, downMs))
    if (!this.#isClosed) await this.open(host, port)
  }

  #actWhenDue({ broadcast }: Message): void {
    if (broadcast.probe === undefined) return
    for (const habit of this.#book.due(broadcast.probe)) {
      this.act(habit).catch((error) => this.#log(`${habit.kind} at probe ${habit.atSequence}: ${describeError(error)}`))
    }
  }
}
