/**
 * What the broker did wrong, on request: one entry for each fault it was told to have and one for each time a fault struck.
 * Tests compare a run's figures with it. It can also be written to a file, a line of JSON per entry.
 */
import { appendFileSync } from 'node:fs'
import { describeError, FanfareError } from '../../errors.ts'
import { US_PER_MS } from '../../units.ts'
import type { Fault } from './fault.ts'

/** One fact. Fields that make no sense for what was done are absent. */
export interface TruthEntry {
  /** Microseconds since the epoch. */
  readonly atUs: number
  readonly fault: Fault['kind']
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
  /** With `injected`: the fault as it was asked for. */
  readonly asked?: Fault
  /** The broker's number for the connection. */
  readonly connection?: number
  readonly remotePort?: number | undefined
  /** Messages the connection had published until then; what its client sent after them was never read. */
  readonly published?: number
  readonly channel?: number
  /** Of a publish: the tag its confirm carries or would have carried. */
  readonly deliveryTag?: number
  readonly messageId?: string
  readonly exchange?: string
  readonly routingKey?: string
  readonly queue?: string
  /** Messages that went with the queue. */
  readonly messages?: number
  readonly method?: string
  readonly code?: number
  readonly delayMs?: number
  readonly how?: 'reset' | 'end'
}

export class TruthLog {
  readonly entries: TruthEntry[] = []
  readonly #file: string | undefined

  /** `file` is appended to; throws `settings-invalid` when it cannot be. */
  constructor(file: string | undefined) {
    this.#file = file
    if (file === undefined) return
    try {
      appendFileSync(file, '')
    } catch (error) {
      throw new FanfareError('settings-invalid', `The truth log cannot be written: ${describeError(error)}`, { cause: error })
    }
  }

  /** Written at once and in order, so that the file is whole even when the process is killed. */
  note(entry: Omit<TruthEntry, 'atUs'>): void {
    const dated = { atUs: Math.round((performance.timeOrigin + performance.now()) * US_PER_MS), ...entry }
    this.entries.push(dated)
    if (this.#file !== undefined) appendFileSync(this.#file, line(dated))
  }

  lines(): string {
    return this.entries.map(line).join('')
  }
}

const line = (entry: TruthEntry): string => `${JSON.stringify(entry)}\n`
