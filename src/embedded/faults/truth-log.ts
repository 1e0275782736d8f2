/**
 * What the broker did wrong, on request: one entry for each fault it was told to have and one for each time a fault struck.
 * Tests compare a run's figures with it. It can also be written to a file, a JSON line per entry.
 */
import { appendFileSync } from 'node:fs'
import { US_PER_MS } from '../../units.ts'
import type { FaultKind } from './fault.ts'

/** One fact. Which of the optional fields are there depends on what was done. */
export interface TruthEntry {
  /** Microseconds since the epoch. */
  readonly atUs: number
  readonly fault: FaultKind
  readonly did:
    | 'injected'
    | 'blocked'
    | 'unblocked'
    | 'confirm-delayed'
    | 'confirm-dropped'
    | 'nacked'
    | 'method-refused'
    | 'connection-refused'
    | 'channel-closed'
    | 'connection-closed'
    | 'socket-dropped'
    | 'exchange-deleted'
    | 'queue-deleted'
  /** The broker's number for the connection. */
  readonly connection?: number
  readonly remotePort?: number
  readonly channel?: number
  /** Of a publish: the tag its confirm carries or would have carried. */
  readonly deliveryTag?: number
  readonly messageId?: string
  readonly exchange?: string
  readonly routingKey?: string
  readonly queue?: string
  readonly method?: string
  readonly code?: number
  readonly text?: string
  readonly delayMs?: number
  readonly how?: string
  /** With `injected`: the fault as it was asked for. */
  readonly asked?: unknown
}

export class TruthLog {
  readonly entries: TruthEntry[] = []
  readonly #file: string | undefined

  constructor(file: string | undefined) {
    this.#file = file
  }

  /** Written at once and in order, so that the file is whole even when the process is killed. */
  note(entry: Omit<TruthEntry, 'atUs'>): void {
    const dated = { atUs: Math.round((performance.timeOrigin + performance.now()) * US_PER_MS), ...entry }
    this.entries.push(dated)
    if (this.#file !== undefined) appendFileSync(this.#file, `${JSON.stringify(dated)}\n`)
  }
}
