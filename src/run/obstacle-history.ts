/**
 * What stood in the publisher's way, and when: the evidence by which a late slot gets its cause. Pure: it is told the time.
 */
import type { Obstacle } from '../broker/injector.ts'
import type { LatenessCause } from './publisher.ts'

interface Interval {
  readonly obstacle: Obstacle
  readonly startUs: number
  endUs: number
}

/** A full window opens and closes with every confirm; what is shorter than a timer's resolution is no gap. */
const MERGE_WITHIN_US = 1_000

export class ObstacleHistory {
  /** In order of time; the last one may still stand. */
  #intervals: Interval[] = []
  #standing: Obstacle | undefined

  /** Says what stands now. Call it whenever that may have changed, and before asking for a cause. */
  note(obstacle: Obstacle | undefined, nowUs: number): void {
    const last = this.#intervals.at(-1)
    if (last !== undefined && this.#standing !== undefined) last.endUs = nowUs
    this.#standing = obstacle
    if (obstacle === undefined) return
    if (last?.obstacle === obstacle && nowUs - last.endUs < MERGE_WITHIN_US) last.endUs = nowUs
    else this.#intervals.push({ obstacle, startUs: nowUs, endUs: nowUs })
  }

  /** Forgets what ended before: slots are sent in order, so nobody will ask about it again. */
  forgetBefore(intendedUs: number): void {
    while (this.#intervals.length > 0 && this.#intervals[0]!.endUs <= intendedUs) this.#intervals.shift()
  }

  /**
   * Why a slot intended at `intendedUs` was sent only at `sentUs`: the obstacle that stood longest in between, if obstacles stood
   * for at least half of that time, else the tester's own loop.
   */
  causeOf(intendedUs: number, sentUs: number): LatenessCause {
    const stoodUs = new Map<Obstacle, number>()
    let totalUs = 0
    for (const { obstacle, startUs, endUs } of this.#intervals) {
      const overlapUs = Math.max(0, Math.min(endUs, sentUs) - Math.max(startUs, intendedUs))
      stoodUs.set(obstacle, (stoodUs.get(obstacle) ?? 0) + overlapUs)
      totalUs += overlapUs
    }
    if (totalUs < (sentUs - intendedUs) / 2) return 'loop'
    return longest(stoodUs) ?? 'loop'
  }
}

function longest(stoodUs: Map<Obstacle, number>): Obstacle | undefined {
  let best: Obstacle | undefined
  for (const [obstacle, us] of stoodUs) {
    if (us > 0 && (best === undefined || us > stoodUs.get(best)!)) best = obstacle
  }
  return best
}
