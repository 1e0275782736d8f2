/**
 * The probe: one stamped message. It knows its token (docs/design.md §4) and nothing of brokers or sockets.
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
  /** The pacer's slot, microseconds since the epoch on the run's clock. */
  readonly intendedUs: number
  /** Handed to the injector, microseconds since the epoch on the run's clock. */
  readonly sentUs: number
}

export const TOKEN_MARK = '~ff1.'
/** `~ff1.` + 8 + . + 4 + . + 10 + . + 16 + . + 16 + `~` */
export const TOKEN_BYTES = 64
export const MAX_SEQUENCE = 9_999_999_999
