/**
 * The faults this broker can be told to have: one vocabulary for the API, the control port and the truth log. Standing
 * faults last until they are used up, replaced or cleared; deeds are done once, at once.
 */
import type { ReplyCode } from '../amqp-error.ts'
import type { MethodName } from '../codec/methods.ts'

/** How many of what passes by are hit: the next so many, or every so-manyth (the k-th, the 2k-th …). At least 1. */
export type Share = { readonly next: number } | { readonly every: number }

/** Which connections are meant; every condition given must hold, and none given means all. */
export interface Selector {
  /** The broker's number for it, as the truth log and `state()` show it. */
  readonly connection?: number
  /** The client's `connection_name`. */
  readonly name?: string
  /** Publishers have published something, consumers have a consumer now. */
  readonly role?: 'publisher' | 'consumer'
}

export type StandingFault =
  /** Connections that publish are told `connection.blocked` with the reason and are no longer read, as RabbitMQ does. */
  | { readonly kind: 'alarm'; readonly reason?: string }
  /** Confirms leave so many milliseconds late. */
  | { readonly kind: 'confirm-delay'; readonly delayMs: number }
  /** Messages are nacked, and not routed unless `isRouted`. */
  | ({ readonly kind: 'nack'; readonly isRouted?: boolean } & Share)
  /** Messages are routed, their confirms never sent. */
  | ({ readonly kind: 'confirm-drop' } & Share)
  /** A method is answered with an error: 403, 404, 405 and 406 close its channel, others the connection. */
  | ({ readonly kind: 'refuse-method'; readonly method: MethodName; readonly code: ReplyCode; readonly text?: string } & Share)
  /** New connections are dropped at once: the next so many, or all until cleared. Default `reset`. */
  | { readonly kind: 'refuse-connections'; readonly next?: number; readonly how?: 'reset' | 'end' }
  /** Consumers are handed nothing from the queue named, or from any. */
  | { readonly kind: 'withhold-deliveries'; readonly queue?: string }

export type Deed =
  /** Ends the standing faults of a kind, or all. Confirms delayed so far still leave when they are due. */
  | { readonly kind: 'clear'; readonly of?: StandingFault['kind'] }
  /** Every open channel of the connections meant. */
  | { readonly kind: 'close-channels'; readonly code: ReplyCode; readonly text?: string; readonly on?: Selector }
  | { readonly kind: 'close-connections'; readonly code: ReplyCode; readonly text?: string; readonly on?: Selector }
  /** Without a word: `reset` sends RST and loses what is on its way, `end` sends what is waiting and then FIN. */
  | { readonly kind: 'drop-sockets'; readonly how: 'reset' | 'end'; readonly on?: Selector }
  | { readonly kind: 'delete-exchange'; readonly exchange: string }
  /** Its consumers are told `basic.cancel`. */
  | { readonly kind: 'delete-queue'; readonly queue: string }

export type Fault = StandingFault | Deed
