/**
 * The books of warm-up probes: only how many are on their way. They stand outside the figures, and nobody asks for their states.
 */
import type { ProbeSink } from './publish-books.ts'

export class WarmUpBooks implements ProbeSink {
  #outstanding = 0

  get outstanding(): number {
    return this.#outstanding
  }

  published(): void {
    this.#outstanding += 1
  }

  resent(): void {
    this.#outstanding += 1
  }

  settled(): void {
    this.#outstanding -= 1
  }

  skipped(): void {}

  paced(): void {}
}
