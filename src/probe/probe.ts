/**
 * The probe: one stamped message. It knows the shape of its token (docs/design.md §4) and nothing of brokers or sockets.
 *
 *   ~ff1.<run:8>.<stream:4>.<sequence:10>.<intendedUs:16>.<sentUs:16>~
 */

export interface Probe {
  /** 8 characters of [0-9a-z]. */
  readonly run: string
  /** Stream index; written in base 36, four characters. */
  readonly stream: number
  /** From 0 in each stream. */
  readonly sequence: number
  /** The pacer's slot, microseconds since the epoch on the run's clock. The token holds it rounded. */
  readonly intendedUs: number
  /** Handed to the injector, microseconds since the epoch on the run's clock. The token holds it rounded. */
  readonly sentUs: number
}

/** What a token says apart from its run. Read on the receive path, it is a view that changes with the next token. */
export type Stamp = Pick<Probe, 'stream' | 'sequence' | 'intendedUs' | 'sentUs'>

export const TOKEN_MARK = '~ff1.'
/** `~ff1.` + 8 + . + 4 + . + 10 + . + 16 + . + 16 + `~` */
export const TOKEN_BYTES = 64

/** Digits of the fields; each field is as wide as this, padded with zeros. */
export const RUN_CHARACTERS = 8
export const STREAM_CHARACTERS = 4
export const SEQUENCE_DIGITS = 10
export const TIME_DIGITS = 16
export const STREAM_RADIX = 36

export const MAX_STREAM = STREAM_RADIX ** STREAM_CHARACTERS - 1
export const MAX_SEQUENCE = 10 ** SEQUENCE_DIGITS - 1

/** Canary and warm-up probes carry stream indices of their own, which tokens spell `zzzz` and `zzzy`. */
export const CANARY_STREAM = MAX_STREAM
export const WARMUP_STREAM = MAX_STREAM - 1
