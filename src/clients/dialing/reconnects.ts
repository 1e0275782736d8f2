/**
 * When clients that lost their connection dial again (RECONNECT=on): after a wait that doubles with every failure and is drawn
 * at random up to that, so that a target that restarts does not meet all of them at once. It dials nobody itself.
 */
const FIRST_WAIT_US = 500_000
const LONGEST_WAIT_US = 30_000_000
/** Past this many doublings the longest wait is reached anyway. */
const MOST_DOUBLINGS = 10

/** The wait before the next dial after `failures` dials in a row that came to nothing; `random` is from [0, 1). */
export const reconnectWaitUs = (failures: number, random: number): number =>
  random * Math.min(LONGEST_WAIT_US, FIRST_WAIT_US * 2 ** Math.min(failures, MOST_DOUBLINGS))

export class Reconnects {
  readonly #random: () => number
  /** Slot → when it is due. */
  readonly #waiting = new Map<number, number>()
  /** Slot → dials in a row without becoming ready; only of slots that lost their connection. */
  readonly #failures = new Map<number, number>()

  constructor(random: () => number = Math.random) {
    this.#random = random
  }

  /** The slot has no connection any more. */
  lost(slot: number, nowUs: number): void {
    const failures = this.#failures.get(slot) ?? 0
    this.#failures.set(slot, failures + 1)
    this.#waiting.set(slot, nowUs + reconnectWaitUs(failures, this.#random()))
  }

  /** The slot has lost its connection and was not ready since. */
  isReturning(slot: number): boolean {
    return this.#failures.has(slot)
  }

  /** The slot is ready again. */
  ready(slot: number): void {
    this.#failures.delete(slot)
  }

  /** Has `dial` called for every slot that is due, until it returns false: those wait for the next call. */
  dialDue(nowUs: number, dial: (slot: number) => boolean): void {
    for (const [slot, dueUs] of this.#waiting) {
      if (dueUs > nowUs) continue
      if (!dial(slot)) return
      this.#waiting.delete(slot)
    }
  }

  /** Nobody dials again. */
  giveUp(): void {
    this.#waiting.clear()
  }
}
