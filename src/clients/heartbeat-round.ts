/**
 * Whose heartbeat is due, spread evenly: every slot once per interval, a few at a time, by one timer of the thread. Pure
 * arithmetic over slots; it knows no clients.
 */
export class HeartbeatRound {
  readonly #slots: number
  readonly #intervalUs: number
  #startedUs: number | undefined
  /** Heartbeats due so far, counted over all rounds. */
  #done = 0

  constructor(slots: number, intervalUs: number) {
    this.#slots = slots
    this.#intervalUs = intervalUs
  }

  /** The slots whose turn has come since the last call. At most one round at once, however long the thread was busy. */
  *due(nowUs: number): Generator<number> {
    this.#startedUs ??= nowUs
    const due = Math.floor(((nowUs - this.#startedUs) * this.#slots) / this.#intervalUs)
    this.#done = Math.max(this.#done, due - this.#slots)
    while (this.#done < due) yield this.#done++ % this.#slots
  }
}
