/**
 * Wakes the publish loop at a moment. Node's timers count whole milliseconds and are 0.6 ms late on average, which would stand in
 * every delivery latency; so the last stretch is slept in `Atomics.wait`, which is late by about 0.1 ms and costs no processor time.
 */
import { usToMs } from '../units.ts'

export interface Alarm {
  /** Rings once, `waitUs` from now or a little later, after pending input was handled. Replaces what was set before. */
  set(waitUs: number): void
  cancel(): void
}

/** A timer may be this late, so it is set earlier by as much and the rest is slept. */
const NAP_MS = 1.5

/** Only for a thread of its own: while it naps (at most about 2 ms), nothing else happens on the thread. */
export class PreciseAlarm implements Alarm {
  readonly #ring: () => void
  readonly #cell = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT))
  #timer: NodeJS.Timeout | undefined
  #immediate: NodeJS.Immediate | undefined
  #dueMs = 0
  #nappedMs = 0

  constructor(ring: () => void) {
    this.#ring = ring
  }

  /** Time slept so far; the event loop counts it as busy. */
  get nappedMs(): number {
    return this.#nappedMs
  }

  set(waitUs: number): void {
    this.cancel()
    const waitMs = usToMs(waitUs)
    this.#dueMs = performance.now() + waitMs
    if (waitMs > NAP_MS) this.#timer = setTimeout(this.#napAndRing, Math.floor(waitMs - 1))
    else this.#immediate = setImmediate(this.#napAndRing)
  }

  cancel(): void {
    clearTimeout(this.#timer)
    clearImmediate(this.#immediate)
  }

  readonly #napAndRing = (): void => {
    const startMs = performance.now()
    if (this.#dueMs > startMs) {
      Atomics.wait(this.#cell, 0, 0, this.#dueMs - startMs)
      this.#nappedMs += performance.now() - startMs
    }
    this.#ring()
  }
}
