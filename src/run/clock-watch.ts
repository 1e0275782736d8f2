/**
 * Anchors the run clock, and watches wall time once a second while the run goes on: jumps are remembered for the report, and with
 * INJECTOR=none the distance of the run clock from wall time is measured again. The run clock itself follows neither.
 */
import { type ClockSources, systemClocks } from '../measure/clock.ts'
import { anchorRunClock, EpochClock, WallWatch } from '../measure/wall-clock.ts'
import { MS_PER_SECOND, usToMs } from '../units.ts'
import type { Warning } from './result.ts'

const LOOK_EVERY_MS = MS_PER_SECOND
/** Jumps told one by one; a clock that is set all the time needs no list. */
const MAX_JUMPS_TOLD = 5

export interface ClockWatchOptions {
  /** INJECTOR=none: another program stamps probes with wall time, so the distance from it counts. */
  readonly isStampedElsewhere: boolean
  readonly sources?: ClockSources
}

export class ClockWatch {
  /** CLOCK_MONOTONIC to run clock, microseconds. */
  readonly runClockOffsetUs: number
  readonly #wall: WallWatch
  readonly #epoch: EpochClock | undefined
  readonly #jumpsUs: number[] = []
  #timer: NodeJS.Timeout | undefined

  /** Keeps its thread busy for about ten milliseconds. */
  constructor({ isStampedElsewhere, sources = systemClocks }: ClockWatchOptions) {
    this.#epoch = isStampedElsewhere ? new EpochClock(sources) : undefined
    const anchor = this.#epoch ?? anchorRunClock(sources)
    this.runClockOffsetUs = anchor.runClockOffsetUs
    this.#wall = new WallWatch(anchor, sources)
  }

  /** Looks once a second from now on. It does not keep the process alive. */
  start(): void {
    this.#timer = setInterval(() => this.look(), LOOK_EVERY_MS).unref()
  }

  stop(): void {
    clearInterval(this.#timer)
  }

  /** Compares the clocks now. */
  look(): void {
    const jumpUs = this.#wall.jumpUs()
    if (jumpUs !== undefined) this.#jumpsUs.push(jumpUs)
    this.#epoch?.check()
  }

  /** INJECTOR=none: how far the run clock is, or was, from wall time at most, microseconds; never 0. */
  get epochBoundUs(): number | undefined {
    return this.#epoch?.boundUs()
  }

  /** One for each jump of wall time, and one for what is left of very many. */
  get warnings(): readonly Warning[] {
    const told = this.#jumpsUs.slice(0, MAX_JUMPS_TOLD).map((jumpUs) => ({ code: 'wall-clock-jump', text: jumpText(jumpUs, this.#epoch) }))
    const more = this.#jumpsUs.length - told.length
    return more === 0 ? told : [...told, { code: 'wall-clock-jump', text: `Wall time jumped ${more} more times` }]
  }
}

function jumpText(jumpUs: number, epoch: EpochClock | undefined): string {
  const how = `Wall time jumped ${jumpUs > 0 ? 'forward' : 'back'} by ${Math.round(Math.abs(usToMs(jumpUs)))} ms against the monotonic clock`
  if (epoch !== undefined) return `${how}: probes were stamped with wall time, so latencies from then on are off by as much`
  return `${how}; the run clock does not follow, so only times of day in the report are off`
}
