/**
 * Every bad habit the target can be asked for, and the deeds it does once when told to. Plain data: it comes from options, from
 * the command line or over the control port as JSON.
 */
import type { Where, WhichClients } from './where.ts'

/** How the target ends a connection: with a close frame, by closing TCP, or by resetting it. */
export type EndManner = 'close' | 'cut' | 'reset'

/** What can stand among the probes that is none of this client's. `foreign` and `misroute` are made from a probe. */
export type Intruder =
  | 'text'
  | 'binary'
  | 'invalid-utf8'
  | 'ping'
  | 'masked'
  | 'reserved-bit'
  | 'bad-opcode'
  | 'stray-continuation'
  | 'huge'
  | 'foreign'
  | 'misroute'

export type DeliveryHabit =
  /** The probe is not written. */
  | ({ readonly kind: 'drop' } & Where)
  /** The probe is written once more, or `copies` times more (default 1). */
  | ({ readonly kind: 'repeat'; readonly copies?: number } & Where)
  /** The probes `first` and `second` of a stream change places; what comes between them waits. */
  | ({ readonly kind: 'swap'; readonly first: number; readonly second: number } & Omit<Where, 'sequences' | 'probability'>)
  /** The probe, and all that comes after it to this client, is written `ms` later. */
  | ({ readonly kind: 'delay'; readonly ms: number } & Where)
  /** The frame goes out in `pieces` (default 2), with a ping between each two when `hasPingBetween`. */
  | ({ readonly kind: 'fragment'; readonly pieces?: number; readonly hasPingBetween?: boolean } & Where)
  /** `size` probes share one frame, a JSON array; fewer when `waitMs` (default 100) pass before so many have come. */
  | ({ readonly kind: 'batch'; readonly size: number; readonly waitMs?: number } & Where)
  /** Something stands before the probe. `bytes`: payload of `huge` (default 1 MiB). `stream`, `probeStream`: where `misroute` goes. */
  | ({
      readonly kind: 'insert'
      readonly what: Intruder
      readonly bytes?: number
      readonly stream?: string
      readonly probeStream?: number
    } & Where)
  /** The connection ends after the probe was written. */
  | ({ readonly kind: 'end'; readonly how: EndManner; readonly code?: number; readonly reason?: string } & Where)

export type HandshakeHabit =
  /** The handshake is never answered. */
  | ({ readonly kind: 'silent' } & WhichClients)
  /** The handshake is answered with this HTTP status (default 503). */
  | ({ readonly kind: 'status'; readonly status?: number } & WhichClients)
  /** `Sec-WebSocket-Accept` is wrong. */
  | ({ readonly kind: 'bad-accept' } & WhichClients)
  /** At most so many handshakes are answered in a second; the others wait. */
  | { readonly kind: 'accept-rate'; readonly perSecond: number }

export type AckHabit =
  /** The subscription is made and never acknowledged. */
  | ({ readonly kind: 'never-ack' } & WhichClients)
  /** The subscription is made at once and acknowledged `ms` later. */
  | ({ readonly kind: 'late-ack'; readonly ms: number } & WhichClients)

export type LivenessHabit =
  /** A ping every `everyMs`; a client that has not answered for `withinMs` is cut. */
  | ({ readonly kind: 'demand-pong'; readonly everyMs: number; readonly withinMs: number } & WhichClients)
  /** Clients are cut when more than `depth` messages wait for them, instead of 256. */
  | ({ readonly kind: 'slow-cut'; readonly depth: number } & WhichClients)

/** Done once, when a probe with this sequence of a measured stream has come in and before anyone is told it. */
export type TimedHabit =
  | { readonly kind: 'freeze'; readonly ms: number; readonly atSequence: number }
  | { readonly kind: 'restart'; readonly downMs?: number; readonly how?: EndManner; readonly atSequence: number }

export type Habit = DeliveryHabit | HandshakeHabit | AckHabit | LivenessHabit | TimedHabit

/** Done at once. */
export type Deed =
  /** For `ms` nothing is read, answered or written. */
  | { readonly kind: 'freeze'; readonly ms: number }
  /** All clients are dropped (default: by closing TCP), nothing listens or consumes for `downMs` (default 0), then all is as at the start. */
  | { readonly kind: 'restart'; readonly downMs?: number; readonly how?: EndManner }
  | ({ readonly kind: 'end'; readonly how: EndManner; readonly code?: number; readonly reason?: string } & WhichClients)
  | ({ readonly kind: 'insert'; readonly what: Exclude<Intruder, 'misroute'>; readonly bytes?: number } & WhichClients)
