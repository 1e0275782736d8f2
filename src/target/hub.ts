/**
 * The middle of the target: a message comes in, is routed, encoded and framed once, and waits until the loop pass ends; then one
 * sweep writes all that is pending, one buffer and one write for each client. It knows neither AMQP nor HTTP.
 */
import type { Audience, Audiences } from './audience.ts'
import type { Client } from './client.ts'
import { encodeBody, envelope } from './envelope.ts'
import { textFrame } from './frame.ts'
import type { Gate } from './gate.ts'
import type { KeptStreams } from './kept-streams.ts'
import type { Message } from './message.ts'
import type { Batch, Outbox } from './outbox.ts'
import { ProbeNamer } from './probe-name.ts'
import { route } from './routing.ts'
import type { Truth } from './truth.ts'

export interface HubParts {
  readonly audiences: Audiences
  readonly outbox: Outbox
  readonly kept: KeptStreams
  readonly gate: Gate
  readonly truth: Truth
  /** Told of each message as it comes in, before anyone is written to. */
  onMessage(message: Message): void
}

export class Hub {
  readonly #parts: HubParts
  readonly #namer = new ProbeNamer()
  readonly #touched = new Set<Audience>()
  #isSweepDue = false
  #sweptPosition = 0

  constructor(parts: HubParts) {
    this.#parts = parts
  }

  /** Broadcasts before this position have been written to their audience; later ones are pending. */
  get sweptPosition(): number {
    return this.#sweptPosition
  }

  /** Takes one message from the broker. What has no route or is not JSON is dropped, as rango drops it. */
  broadcast(routingKey: string, content: Uint8Array): void {
    const { kept, truth, onMessage } = this.#parts
    const destination = route(routingKey)
    const body = destination && encodeBody(content)
    if (destination === undefined || body === undefined) return
    const fate = kept.fateOf(destination.topic)
    if (fate === 'ignore') return
    const frame = textFrame(envelope(destination.stream, body))
    const entry = { ...destination, probe: this.#namer.nameOf(frame), isKept: fate === 'keep' }
    const message: Message = { broadcast: truth.log.append(entry), body, frame }
    kept.take(message)
    if (fate === 'keep') return
    onMessage(message)
    this.#put(message)
  }

  /** Writes what is pending now, so that whoever joins next does not hear what came before. */
  settle(): void {
    if (this.#touched.size > 0) this.#sweep()
    else this.#sweptPosition = this.#parts.truth.log.length
  }

  #put(message: Message): void {
    for (const audience of this.#parts.audiences.of(message.broadcast.topic) ?? []) {
      audience.pending.push(message)
      this.#touched.add(audience)
    }
    if (this.#isSweepDue || this.#touched.size === 0) return
    this.#isSweepDue = true
    // After the poll phase: everything that arrived in this pass of the loop goes out in one write.
    setImmediate(() => this.#parts.gate.pass(() => this.#sweep()))
  }

  #sweep(): void {
    this.#isSweepDue = false
    this.#sweptPosition = this.#parts.truth.log.length
    for (const audience of this.#touched) {
      const messages = audience.pending
      audience.pending = []
      if (messages.length > 0) this.#tell(audience.clients, messages)
    }
    this.#touched.clear()
  }

  #tell(clients: readonly Client[], messages: readonly Message[]): void {
    const { outbox } = this.#parts
    const batch = batchOf(messages)
    for (let slot = 0; slot < clients.length; ) {
      const client = clients[slot] as Client
      if (client.lane === undefined) outbox.deliver(client, batch)
      else client.lane.take(messages, batch)
      // Whoever was cut just now has given its place to the last client.
      if (clients[slot] === client) slot += 1
    }
  }
}

function batchOf(messages: readonly Message[]): Batch {
  const first = messages[0] as Message
  const bytes = messages.length === 1 ? first.frame : Buffer.concat(messages.map((message) => message.frame))
  return { bytes, frames: messages.length, broadcasts: messages.length }
}
