/**
 * What the target keeps for one connected client: a small struct, since there are 20,000 of them in a process.
 */
import type { Socket } from 'node:net'
import type { Account, EndingKind, Mark } from './account.ts'
import type { Audience } from './audience.ts'
import type { Sender } from './inbound.ts'
import type { Lane } from './lane.ts'
import type { Backlog } from './outbox.ts'

export interface Client extends Sender {
  /** Number of its handshake, from 0: how habits and the truth log name it. */
  readonly number: number
  readonly socket: Socket
  readonly uid: string | undefined
  readonly account: Account
  /** What it is subscribed to, in the order of subscribing. */
  streams: readonly string[]
  /** Those who hear exactly what it hears; undefined while it hears nothing. */
  audience: Audience | undefined
  /** Its place in `audience.clients`. */
  slot: number
  /** Present while the kernel does not take all that is written to it. */
  backlog: Backlog | undefined
  /** Present when a habit concerns what is delivered to it. */
  lane: Lane | undefined
  lastPingMs: number
  /** When it last proved to be alive, on the clock of `performance.now()`. */
  lastPongMs: number
  /** The last ping that was not answered yet, and what the answer acknowledges. */
  pinged: { readonly payload: string; readonly mark: Mark } | undefined
  leaving: Leaving | undefined
}

/** Why the target or the client ends the connection; nothing is delivered any more. */
export interface Leaving {
  readonly kind: EndingKind
  readonly code: number | undefined
  hasSentClose: boolean
  hasReceivedClose: boolean
  hasSentEnd: boolean
  hasReceivedEnd: boolean
  /** Runs while the other side is given time to part in order. */
  timer?: NodeJS.Timeout
}
