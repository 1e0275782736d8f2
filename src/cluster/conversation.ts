/**
 * One side of a conversation with one peer over a line that may lose what was on its way: what is said is numbered and kept until it was
 * heard, what is heard is taken once and in order (go-back-N). Pure: time comes in as an argument, and somebody else does the sending.
 */

/** How long an answer may take before what was said is said again. */
const SAY_AGAIN_AFTER_MS = 1_000

export interface Numbered<M> {
  /** From 1. */
  readonly number: number
  readonly message: M
}

export class Conversation<M> {
  #lastSaid = 0
  #heardUpTo = 0
  #unheard: Numbered<M>[] = []
  #saidAtMs = 0

  /** The number of the last message that was taken; goes out with everything that is said. */
  get heardUpTo(): number {
    return this.#heardUpTo
  }

  /** How much of what was said the peer has not heard yet, as far as is known. */
  get unheard(): number {
    return this.#unheard.length
  }

  /** Numbers a message, to be sent right away. */
  say(message: M, nowMs: number): Numbered<M> {
    if (this.#unheard.length === 0) this.#saidAtMs = nowMs
    this.#lastSaid += 1
    const numbered = { number: this.#lastSaid, message }
    this.#unheard.push(numbered)
    return numbered
  }

  /** The peer has heard everything up to this number. Older news change nothing. */
  heardBy(upTo: number, nowMs: number): void {
    const before = this.#unheard.length
    this.#unheard = this.#unheard.filter(({ number }) => number > upTo)
    if (this.#unheard.length < before) this.#saidAtMs = nowMs
  }

  /** Whether a message with this number is the next one. Copies are not, and neither is what comes after a gap: it will be said again. */
  take(number: number): boolean {
    if (number !== this.#heardUpTo + 1) return false
    this.#heardUpTo = number
    return true
  }

  /** What must be said again now, oldest first. */
  due(nowMs: number): readonly Numbered<M>[] {
    if (this.#unheard.length === 0 || nowMs - this.#saidAtMs < SAY_AGAIN_AFTER_MS) return []
    return this.sayAgain(nowMs)
  }

  /** The line was down: everything that was not heard, oldest first. */
  sayAgain(nowMs: number): readonly Numbered<M>[] {
    this.#saidAtMs = nowMs
    return this.#unheard
  }
}
