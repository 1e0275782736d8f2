/**
 * The faults this broker can be told to have: one vocabulary for the API, the control port and the truth log. Standing
 * faults last until they are used up or cleared; the others happen once, at once.
 */
import type { ReplyCode } from '../amqp-error.ts'
import type { MethodName } from '../codec/methods.ts'

/** How many of what passes by are hit: the next so many, or every so-manyth (the k-th, the 2k-th …). */
export type Share = { readonly next: number } | { readonly every: number }

/** Which connections are meant; every condition given must hold, and none given means all. */
export interface Selector {
  /** The number the broker gave it, as the truth log and `state()` show it. */
  readonly connection?: number
  /** The client's `connection_name`. */
  readonly name?: string
  /** Publishers have published, consumers have a consumer now. */
  readonly role?: 'publisher' | 'consumer'
}

export type Fault =
  /** Standing. Connections that publish are told `connection.blocked` and no longer read. */
  | { readonly kind: 'alarm'; readonly reason?: string }
  | { readonly kind: 'alarm-clear' }
  /** Standing; 0 ends it. Confirms leave so many milliseconds late. */
  | { readonly kind: 'confirm-delay'; readonly delayMs: number }
  /** Standing. Nacked messages are not routed unless `isRouted`. */
  | { readonly kind: 'nack'; readonly share: Share; readonly isRouted?: boolean }
  /** Standing. Messages are routed, their confirms never sent. */
  | { readonly kind: 'confirm-drop'; readonly share: Share }
  /** Standing. A method is answered with an error; codes of channel errors close the channel, others the connection. */
  | { readonly kind: 'refuse-method'; readonly method: MethodName; readonly code: ReplyCode; readonly text?: string; readonly share: Share }
  /** Standing. New connections are dropped at once: the next so many, or all until `accept-connections`. */
  | { readonly kind: 'refuse-connections'; readonly next?: number; readonly how?: 'reset' | 'end' }
  | { readonly kind: 'accept-connections' }
  /** Standing. Queues hand out nothing to consumers: the one named, or all. */
  | { readonly kind: 'withhold-deliveries'; readonly queue?: string }
  | { readonly kind: 'release-deliveries' }
  /** Every open channel of the connections meant. */
  | { readonly kind: 'close-channels'; readonly code: ReplyCode; readonly text?: string; readonly on?: Selector }
  | { readonly kind: 'close-connections'; readonly code: ReplyCode; readonly text?: string; readonly on?: Selector }
  /** Without a word: `reset` sends RST and loses what is on its way, `end` sends what is waiting and then FIN. */
  | { readonly kind: 'drop-sockets'; readonly how: 'reset' | 'end'; readonly on?: Selector }
  | { readonly kind: 'delete-exchange'; readonly exchange: string }
  /** Its consumers are told `basic.cancel`. */
  | { readonly kind: 'delete-queue'; readonly queue: string }
  /** Ends every standing fault. */
  | { readonly kind: 'clear' }

export type FaultKind = Fault['kind']
