/**
 * Books of canary or warm-up probes: counted like measured ones, outside of all figures. One row per client, because such probes
 * have one numbering for all streams.
 */
import { Booking, Ledger, MAX_LEDGER_SEQUENCE } from './ledger.ts'
import type { DeliveryCounts } from './snapshot.ts'
import { emptyDeliveryCounts } from './snapshot-merge.ts'

export class SideBooks {
  readonly #ledger: Ledger
  #counts = emptyDeliveryCounts()

  constructor(slots: number, maxBytes: number) {
    this.#ledger = new Ledger(slots, maxBytes)
  }

  book(slot: number, sequence: number, isEarly: boolean, isRedelivery: boolean): void {
    const counts = this.#counts
    if (sequence > MAX_LEDGER_SEQUENCE) counts.unexpected++
    else if (isEarly) counts.early++
    else this.#bookInTime(this.#ledger.book(slot, sequence), isRedelivery)
  }

  take(): DeliveryCounts {
    const counts = this.#counts
    this.#counts = emptyDeliveryCounts()
    return counts
  }

  get bytes(): number {
    return this.#ledger.bytes
  }

  get isOverflowed(): boolean {
    return this.#ledger.isOverflowed
  }

  #bookInTime(booking: number, isRedelivery: boolean): void {
    const counts = this.#counts
    if (booking === Booking.copy) {
      if (isRedelivery) counts.redelivered++
      else counts.duplicated++
      return
    }
    counts.delivered++
    if (booking === Booking.outOfOrder) counts.outOfOrder++
  }
}
