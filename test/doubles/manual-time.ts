/**
 * A run clock and alarms that move only when the test says so: `advance` rings what falls due on the way, in order of time.
 */
import type { Alarm } from '../../src/run/alarm.ts'

const START_US = 1_760_000_000_000_000

export class ManualTime {
  #nowUs = START_US
  readonly #due = new Map<Alarm, { atUs: number; ring: () => void }>()

  readonly nowUs = (): number => this.#nowUs

  readonly makeAlarm = (ring: () => void): Alarm => {
    const alarm: Alarm = {
      set: (waitUs) => {
        this.#due.set(alarm, { atUs: this.#nowUs + waitUs, ring })
      },
      cancel: () => {
        this.#due.delete(alarm)
      },
    }
    return alarm
  }

  /** Lets time pass, ringing alarms at their moment. */
  advance(us: number): void {
    const untilUs = this.#nowUs + us
    for (;;) {
      const next = [...this.#due].sort(([, a], [, b]) => a.atUs - b.atUs)[0]
      if (next === undefined || next[1].atUs > untilUs) break
      this.#due.delete(next[0])
      this.#nowUs = Math.max(this.#nowUs, next[1].atUs)
      next[1].ring()
    }
    this.#nowUs = untilUs
  }

  /** Time passes, but the loop does not get to run: what was due rings late, with the next `advance`. */
  stall(us: number): void {
    this.#nowUs += us
  }
}
