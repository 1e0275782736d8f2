/**
 * How long to wait before dialing a broker again. Pure: chance comes in as an argument.
 */

const FIRST_DELAY_MS = 100
/** Long enough not to hammer a broker that boots, short enough that a run notices its return soon. */
const MAX_DELAY_MS = 2_000

/** Doubles with each attempt (from 0) up to 2 s; `chance` in [0, 1) takes off up to half, so that replicas do not dial in step. */
export function backOffMs(attempt: number, chance: number): number {
  const fullMs = Math.min(MAX_DELAY_MS, FIRST_DELAY_MS * 2 ** attempt)
  return fullMs * (1 - chance / 2)
}
