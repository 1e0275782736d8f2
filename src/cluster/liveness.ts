/**
 * Whether a peer is still there. Who speaks lives; of who is silent the broker is asked whether its exclusive queue is there, which says so
 * without anybody having to publish. Pure; the clock it is given stands still while the own line is down or blocked, so that no
 * trouble of the broker passes for a death.
 */

/** Peers speak every second; from then on the broker is asked. */
const SILENT_AFTER_MS = 1_500
/** An absent queue may be a connection that is being made anew. */
const GONE_AFTER_MS = 2_000
/** There, but speechless: a process that hangs. Long enough for one that settles very large books. */
const MUTE_AFTER_MS = 30_000

export type Liveness = 'alive' | 'ask' | 'gone' | 'mute'

export class LivenessWatch {
  #heardMs: number
  #absentSinceMs: number | undefined

  constructor(nowMs: number) {
    this.#heardMs = nowMs
  }

  heard(nowMs: number): void {
    this.#heardMs = nowMs
    this.#absentSinceMs = undefined
  }

  /** What the broker said when it was asked. */
  answered(isThere: boolean, nowMs: number): void {
    if (isThere) this.#absentSinceMs = undefined
    else this.#absentSinceMs ??= nowMs
  }

  /** `ask`: the broker should be asked now. */
  look(nowMs: number): Liveness {
    const silentMs = nowMs - this.#heardMs
    if (this.#absentSinceMs !== undefined && nowMs - this.#absentSinceMs >= GONE_AFTER_MS) return 'gone'
    if (silentMs >= MUTE_AFTER_MS) return 'mute'
    return silentMs >= SILENT_AFTER_MS ? 'ask' : 'alive'
  }
}

/** A stopwatch that stands still while nobody may be declared dead. */
export class PausableTime {
  readonly #nowMs: () => number
  readonly #reasons = new Set<string>()
  #ranMs = 0
  #startedMs: number

  constructor(nowMs: () => number) {
    this.#nowMs = nowMs
    this.#startedMs = nowMs()
  }

  /** Time that has passed while nothing paused it. */
  nowMs(): number {
    return this.#ranMs + (this.isPaused ? 0 : this.#nowMs() - this.#startedMs)
  }

  get isPaused(): boolean {
    return this.#reasons.size > 0
  }

  pause(reason: string): void {
    this.#ranMs = this.nowMs()
    this.#startedMs = this.#nowMs()
    this.#reasons.add(reason)
  }

  /** It runs again when no other reason is left. */
  resume(reason: string): void {
    this.#ranMs = this.nowMs()
    this.#startedMs = this.#nowMs()
    this.#reasons.delete(reason)
  }
}
