/**
 * Where the run clock meets wall time. `Date.now()` tells whole milliseconds, but the moment it changes is sharp: watching it
 * tick against CLOCK_MONOTONIC finds wall time to a fraction of a microsecond. It knows nothing of threads or replicas.
 */
import { assert } from '../errors.ts'
import { msToUs, US_PER_MS } from '../units.ts'
import { type ClockSources, EPOCH_RESOLUTION_US, monotonicUs, systemClocks } from './clock.ts'

/** CLOCK_MONOTONIC plus this is wall time, give or take the bound. */
export interface WallAnchor {
  readonly runClockOffsetUs: number
  /** Never 0. */
  readonly boundUs: number
}

/** Ticks watched when the run clock is anchored: about ten milliseconds, of which one tick is surely not interrupted. */
const ANCHOR_TICKS = 10

/** Wall time that does not change for this long (it may be stepped back meanwhile) is not watched any further. */
const TICK_DEADLINE_US = 100_000

/** Anchors the run clock to wall time; once per run, by the coordinator. Keeps its thread busy for about ten milliseconds. */
export function anchorRunClock(sources: ClockSources = systemClocks): WallAnchor {
  const anchor = tightestTick(sources, { ticks: ANCHOR_TICKS, enoughUs: 0 })
  assert(anchor !== undefined, 'Date.now() did not change while it was watched')
  return anchor
}

/** The tightest of so many ticks, or the first whose bound is at most `enoughUs`. */
function tightestTick(sources: ClockSources, { ticks, enoughUs }: { ticks: number; enoughUs: number }): WallAnchor | undefined {
  let best: WallAnchor | undefined
  for (let tick = 0; tick < ticks && (best === undefined || best.boundUs > enoughUs); tick++) {
    const anchor = watchTick(sources)
    if (anchor !== undefined && (best === undefined || anchor.boundUs < best.boundUs)) best = anchor
  }
  return best
}

/** One tick of wall time: the anchor it gives, or undefined when none came, or wall time jumped, before the deadline. */
function watchTick(sources: ClockSources): WallAnchor | undefined {
  const startUs = monotonicUs(sources)
  const firstWallMs = sources.wallMs()
  // The tick lies between what was read before the last old millisecond and what was read after the first new one.
  let beforeUs = startUs
  let betweenUs = monotonicUs(sources)
  while (betweenUs - startUs < TICK_DEADLINE_US) {
    const wallMs = sources.wallMs()
    const afterUs = monotonicUs(sources)
    if (wallMs === firstWallMs + 1) {
      return { runClockOffsetUs: msToUs(wallMs) - (beforeUs + afterUs) / 2, boundUs: (afterUs - beforeUs) / 2 + EPOCH_RESOLUTION_US }
    }
    if (wallMs !== firstWallMs) return undefined
    beforeUs = betweenUs
    betweenUs = afterUs
  }
  return undefined
}

/** Wall time may be this far from where it should be before it is called a jump (docs/design.md §5). */
export const WALL_JUMP_US = 50_000

/** Notices when wall time is set while a run goes on. The run clock does not follow; the report says that it happened. */
export class WallWatch {
  readonly #sources: ClockSources
  #offsetUs: number

  constructor(anchor: Pick<WallAnchor, 'runClockOffsetUs'>, sources: ClockSources = systemClocks) {
    this.#sources = sources
    this.#offsetUs = anchor.runClockOffsetUs
  }

  /** How far wall time has jumped since the last call, microseconds; undefined when it has not. Call it about once a second. */
  jumpUs(): number | undefined {
    const startUs = monotonicUs(this.#sources)
    // The middle of the millisecond that wall time tells.
    const wallUs = msToUs(this.#sources.wallMs()) + US_PER_MS / 2
    const endUs = monotonicUs(this.#sources)
    const offsetUs = wallUs - (startUs + endUs) / 2
    const jumpUs = offsetUs - this.#offsetUs
    this.#offsetUs = offsetUs
    // An interrupted read says nothing about wall time; the next one will.
    return Math.abs(jumpUs) - (endUs - startUs) / 2 > WALL_JUMP_US ? jumpUs : undefined
  }
}

/** A check watches one tick, and more when the thread was interrupted in it: a wide bound says little, and would stay. */
const CHECK_TICKS = 5
const CHECK_ENOUGH_US = 100

/** How fast wall time may run away from the monotonic clock between two checks: what NTP may slew, 500 ppm. */
const SLEW_RATIO = 500e-6

/**
 * The run clock of `INJECTOR=none`, where another program stamps probes with wall time. The offset is found once and kept, so that
 * the clock never jumps; what later checks find is added to the bound.
 */
export class EpochClock {
  readonly runClockOffsetUs: number
  readonly #sources: ClockSources
  #checkedBoundUs: number
  #checkedAtUs: number

  constructor(sources: ClockSources = systemClocks) {
    const anchor = anchorRunClock(sources)
    this.#sources = sources
    this.runClockOffsetUs = anchor.runClockOffsetUs
    this.#checkedBoundUs = anchor.boundUs
    this.#checkedAtUs = monotonicUs(sources)
  }

  /** Watches one tick again (five at most), about a millisecond of a busy thread; call it once a second. */
  check(): void {
    const found = tightestTick(this.#sources, { ticks: CHECK_TICKS, enoughUs: CHECK_ENOUGH_US })
    if (found === undefined) return
    const distanceUs = Math.abs(found.runClockOffsetUs - this.runClockOffsetUs) + found.boundUs
    this.#checkedBoundUs = Math.max(this.#checkedBoundUs, distanceUs)
    this.#checkedAtUs = monotonicUs(this.#sources)
  }

  /** How far the run clock is at most from wall time as far as the last check can tell, or was at an earlier one. Never 0. */
  boundUs(): number {
    const sinceUs = monotonicUs(this.#sources) - this.#checkedAtUs
    return this.#checkedBoundUs + sinceUs * SLEW_RATIO
  }
}
