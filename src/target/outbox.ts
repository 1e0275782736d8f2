/**
 * Writes to clients, and measures how far each lags behind. While the kernel takes everything a write is one call with a
 * buffer that many clients share. When it does not, one write stays under way and the rest waits here, counted: past the limit
 * the client is slow and is cut, as rango cuts at 256 messages.
 */
import type { Client } from './client.ts'

/** Bytes that are written in one go, perhaps to many clients. */
export interface Batch {
  readonly bytes: Buffer
  readonly frames: number
  /** How many writes the client's account books for it. */
  readonly broadcasts: number
}

export interface Backlog {
  /** When the kernel last took something, on the clock of `performance.now()`. */
  progressMs: number
  /** Whether a write with a callback is under way; until then the socket's own buffer tells whether there is a backlog. */
  isArmed: boolean
  waiting: Batch[]
  /** Frames in `waiting`. */
  depth: number
}

export interface OutboxSettings {
  /** Frames that may wait for a client. */
  slowDepth(client: Client): number
  /** Cuts a client that lags further behind. */
  onSlow(client: Client, depth: number): void
}

export class Outbox {
  readonly #settings: OutboxSettings

  constructor(settings: OutboxSettings) {
    this.#settings = settings
  }

  deliver(client: Client, batch: Batch): void {
    if (client.backlog !== undefined && !this.#hasCaughtUp(client, client.backlog)) {
      this.#queue(client, client.backlog, batch)
      return
    }
    client.socket.write(batch.bytes)
    if (client.socket.writableLength > 0 && client.socket.writableCorked === 0) {
      client.backlog = { progressMs: performance.now(), isArmed: false, waiting: [], depth: 0 }
    }
  }

  /** An acknowledgement, a pong: in its place among the probes. */
  say(client: Client, bytes: Buffer): void {
    if (client.leaving === undefined) this.deliver(client, { bytes, frames: 1, broadcasts: 0 })
  }

  /** Forgets what waits for the client; returns how many writes of its account never reached the kernel. */
  discard(client: Client): number {
    const unwritten = client.backlog?.waiting.reduce((sum, batch) => sum + batch.broadcasts, 0) ?? 0
    client.backlog = undefined
    return unwritten
  }

  #hasCaughtUp(client: Client, backlog: Backlog): boolean {
    if (backlog.isArmed || client.socket.writableLength > 0) return false
    client.backlog = undefined
    return true
  }

  #queue(client: Client, backlog: Backlog, batch: Batch): void {
    if (!backlog.isArmed) {
      this.#arm(client, backlog, batch)
      return
    }
    backlog.waiting.push(batch)
    backlog.depth += batch.frames
    if (backlog.depth > this.#settings.slowDepth(client)) this.#settings.onSlow(client, backlog.depth)
  }

  #arm(client: Client, backlog: Backlog, batch: Batch): void {
    backlog.isArmed = true
    client.socket.write(batch.bytes, (error) => {
      if (error || client.backlog !== backlog) return
      backlog.progressMs = performance.now()
      const next = backlog.waiting.shift()
      if (next === undefined) {
        client.backlog = undefined
        return
      }
      backlog.depth -= next.frames
      this.#arm(client, backlog, next)
    })
  }
}
