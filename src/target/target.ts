/**
 * The reference target: a small, honest, rango-compatible broadcaster that misbehaves only on request and writes down what it
 * did. This file puts its parts together; each part knows one thing.
 *
 *   broker -> Consumer -> Hub -> Audience -> Outbox -> clients       Door -> Reception -> Members
 */
import { createWriteStream, type WriteStream } from 'node:fs'
import { finished } from 'node:stream/promises'
import { Audiences } from './audience.ts'
import { Consumer } from './consumer.ts'
import { openControlPort } from './control-port.ts'
import { Door } from './door.ts'
import { Gate } from './gate.ts'
import { gaugeText, METRICS_CONTENT_TYPE } from './gauges.ts'
import type { Deed, EndManner, Habit } from './habits/habit.ts'
import { HabitBook } from './habits/habit-book.ts'
import { intrude } from './habits/intruder.ts'
import { parseDeed, parseHabits } from './habits/parse.ts'
import { concernsClient } from './habits/where.ts'
import { Hub } from './hub.ts'
import { Keepalive } from './keepalive.ts'
import { KeptStreams } from './kept-streams.ts'
import { openSidePort, urlHost } from './listen.ts'
import { Members } from './members.ts'
import type { Message } from './message.ts'
import { Outbox } from './outbox.ts'
import { Reception } from './reception.ts'
import { Truth } from './truth.ts'

export const DEFAULT_EXCHANGE = 'peatio.events.ranger'
/** rango's: messages that may wait for a client before it is cut. */
const SLOW_DEPTH = 256
const RECONNECT_MS = 1_000
const LOOPBACK = '127.0.0.1'

export interface TargetOptions {
  /** Default 127.0.0.1. */
  readonly host?: string
  /** Default 0: a free one. The same for `metricsPort` and `controlPort`. */
  readonly port?: number
  readonly metricsPort?: number
  readonly controlPort?: number
  /** amqp:// URL; absent: nothing comes in but by `broadcast`. */
  readonly amqp?: string
  /** Default `peatio.events.ranger`. */
  readonly exchange?: string
  /** Pause before the broker is tried again, default 1000. */
  readonly reconnectMs?: number
  readonly habits?: readonly Habit[]
  /** Gets the truth log as lines of JSON: events as they happen, accounts at the end. */
  readonly truthFile?: string
  /** What a person should know; default: nothing is said. */
  log?(text: string): void
}

export interface Target {
  readonly port: number
  readonly url: string
  readonly metricsUrl: string
  readonly controlUrl: string
  readonly truth: Truth
  readonly habits: readonly Habit[]
  /** How many clients are connected. */
  readonly clientCount: number
  /** Replaces all habits; clients that are connected are served accordingly from the next message on. */
  setHabits(habits: readonly Habit[]): void
  /** Does a deed; a restart resolves once the target listens again. */
  act(deed: Deed): Promise<void>
  /** A message as if it had come from the broker. */
  broadcast(routingKey: string, body: Uint8Array | string): void
  /** Resolves to whether the queue is bound and consumed before `timeoutMs` have passed; false without a broker. */
  whenConsuming(timeoutMs: number): Promise<boolean>
  /** Ends all clients, frees all ports, completes the truth file. */
  close(): Promise<void>
}

export async function startTarget(options: TargetOptions = {}): Promise<Target> {
  const { host = LOOPBACK, exchange = DEFAULT_EXCHANGE, reconnectMs = RECONNECT_MS, log = () => {} } = options
  const file = options.truthFile === undefined ? undefined : createWriteStream(options.truthFile)
  const truth = new Truth(file)
  const book = new HabitBook()
  const gate = new Gate()
  const kept = new KeptStreams()
  const audiences = new Audiences()
  const outbox = new Outbox({
    slowDepth: (client) => book.liveness('slow-cut', client.number)?.depth ?? SLOW_DEPTH,
    onSlow: (client, depth) => {
      truth.note('slow-client', client.account, { depth })
      members.part(client, { kind: 'slow-client', how: 'destroy' })
    },
  })
  const hub = new Hub({ audiences, outbox, kept, gate, truth, onMessage: actWhenDue })
  const members = new Members({ hub, audiences, outbox, kept, book, truth, laneParts: { book, outbox, gate, truth } })
  const keepalive = new Keepalive({ members, outbox, book, gate, truth })
  const reception = new Reception({ members, outbox, book, gate, truth })
  const door = new Door({ book, gate, truth, onGuest: (socket, guest) => reception.receive(socket, guest) })
  const consumer =
    options.amqp === undefined
      ? undefined
      : new Consumer({ url: options.amqp, exchange, reconnectMs, log, onMessage: (key, content) => hub.broadcast(key, content) })

  function actWhenDue({ broadcast }: Message): void {
    for (const habit of broadcast.probe === undefined ? [] : book.due(broadcast.probe)) {
      act(habit).catch((error) => log(`restart: ${error}`))
    }
  }

  function setHabits(habits: readonly Habit[]): void {
    book.set(parseHabits(habits))
    members.refit()
    keepalive.start()
  }

  async function act(deed: Deed): Promise<void> {
    if (deed.kind === 'freeze') {
      truth.note('freeze', undefined, { ms: deed.ms })
      gate.freeze(deed.ms)
    } else if (deed.kind === 'restart') await restart(deed.downMs ?? 0, deed.how ?? 'cut')
    else {
      for (const client of members.clients) {
        if (!concernsClient(deed, client.number) || client.leaving !== undefined) continue
        if (deed.kind === 'end') members.end(client, deed)
        else {
          truth.note(deed.what, client.account)
          outbox.say(client, intrude(deed).bytes)
        }
      }
    }
  }

  async function restart(downMs: number, how: EndManner): Promise<void> {
    truth.note('restart', undefined, { downMs, how, clients: members.clients.size })
    for (const client of members.clients) members.end(client, { how })
    await Promise.all([door.close(), consumer?.stop()])
    await new Promise((resolve) => setTimeout(resolve, downMs))
    if (isClosed) return
    await door.open(host, address.port)
    consumer?.start()
  }

  let isClosed = false
  setHabits(options.habits ?? [])
  const address = await door.open(host, options.port ?? 0)
  const metrics = await openSidePort({ host, port: options.metricsPort ?? 0 }, '/metrics', (_request, response) => {
    response.writeHead(200, { 'Content-Type': METRICS_CONTENT_TYPE }).end(gaugeText(members, audiences))
  })
  const state = () => ({ clients: members.clients.size, consuming: consumer?.isConsuming ?? false, broadcasts: truth.log.length })
  const broadcast = (routingKey: string, body: Uint8Array | string) => hub.broadcast(routingKey, Buffer.from(body))
  const controlled = { truthLines: () => truth.lines(), state, setHabits, act, broadcast }
  const control = await openControlPort(
    {
      ...controlled,
      get habits() {
        return book.habits
      },
    },
    options.controlPort ?? 0,
  )
  consumer?.start()

  return {
    port: address.port,
    url: `ws://${urlHost(host)}:${address.port}/`,
    metricsUrl: metrics.url,
    controlUrl: control.url,
    truth,
    get habits() {
      return book.habits
    },
    get clientCount() {
      return members.clients.size
    },
    setHabits,
    act: (deed) => act(parseDeed(deed)),
    broadcast,
    whenConsuming: async (timeoutMs) => (await consumer?.whenConsuming(timeoutMs)) ?? false,
    close: async () => {
      isClosed = true
      keepalive.stop()
      gate.thaw()
      for (const client of members.clients) members.part(client, { kind: 'cut-by-target', how: 'destroy' })
      await Promise.all([consumer?.stop(), door.close(), metrics.close(), control.close()])
      if (file !== undefined) await endFile(file, truth)
    },
  }
}

async function endFile(file: WriteStream, truth: Truth): Promise<void> {
  for (const line of truth.closingLines()) file.write(line)
  file.end()
  await finished(file)
}
