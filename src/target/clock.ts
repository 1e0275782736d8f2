/**
 * The target's clock: microseconds since the epoch, monotonic within the process. Truth is stamped with it and nothing is
 * measured with it, so it needs no anchor and no bound.
 */
import { msToUs } from '../units.ts'

export const epochUs = (): number => Math.round(msToUs(performance.timeOrigin + performance.now()))
