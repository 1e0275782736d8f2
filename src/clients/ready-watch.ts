/**
 * Which open clients wait for their acknowledgement, and which have waited too long. The wait is equal for all, so the order
 * of opening is the order of giving up. It knows no sockets.
 */
export class ReadyWatch {
  readonly #timeoutUs: number
  /** Slot → when it opened, oldest first. */
  readonly #waiting = new Map<number, number>()

  constructor(timeoutUs: number) {
    this.#timeoutUs = timeoutUs
  }

  opened(slot: number, atUs: number): void {
    this.#waiting.set(slot, atUs)
  }

  /** The slot waits no longer, for whatever reason. */
  settled(slot: number): void {
    this.#waiting.delete(slot)
  }

  /** Takes out the slots whose time is up. */
  expired(nowUs: number): number[] {
    const slots: number[] = []
    for (const [slot, openedUs] of this.#waiting) {
      if (nowUs - openedUs < this.#timeoutUs) break
      slots.push(slot)
    }
    for (const slot of slots) this.#waiting.delete(slot)
    return slots
  }
}
