/**
 * What a dialect may do for the client whose frame it reads, as one object for all clients of a thread. It only forwards:
 * to the engine, to the client's life, to the books.
 */
import type { Books } from '../measure/books.ts'
import type { FrameKind, SessionPort } from '../protocols/protocol.ts'
import type { Deliveries } from './receive.ts'

/** The steps of a client's life that a dialect takes. */
export interface LifeSteps {
  /** The subscription was acknowledged at `atUs`. */
  becameReady(slot: number, atUs: number): void
  refused(slot: number, text: string): void
  endedByTarget(slot: number, text: string): void
  brokeDialect(slot: number, text: string): void
  send(slot: number, data: string | Uint8Array): void
}

export class ClientPort implements SessionPort {
  readonly #life: LifeSteps
  readonly #books: Books
  readonly #deliveries: Deliveries
  #slot = 0
  #atUs = 0

  constructor(life: LifeSteps, books: Books, deliveries: Deliveries) {
    this.#life = life
    this.#books = books
    this.#deliveries = deliveries
  }

  /** From now on the port speaks for `slot`, about what was read at `atUs`. */
  attend(slot: number, atUs: number): this {
    this.#slot = slot
    this.#atUs = atUs
    return this
  }

  send(data: string | Uint8Array): void {
    this.#life.send(this.#slot, data)
  }

  ready(): void {
    this.#life.becameReady(this.#slot, this.#atUs)
  }

  refused(text: string): void {
    this.#life.refused(this.#slot, text)
  }

  ended(text: string): void {
    this.#life.endedByTarget(this.#slot, text)
  }

  payload(data: Uint8Array, start: number, end: number, isRedelivery: boolean, isRetained: boolean): void {
    // A stored probe says nothing about the broadcast that is measured.
    if (isRetained) this.count('snapshot')
    else if (!this.#deliveries.book(this.#slot, data, start, end, this.#atUs, isRedelivery)) this.count('other')
  }

  count(kind: FrameKind): void {
    this.#books.otherFrame(kind)
  }

  fail(text: string): void {
    this.#life.brokeDialect(this.#slot, text)
  }
}
