/**
 * What a replica has not told yet: snapshots are added up until they can be handed over. While nothing can be sent the sum grows in span
 * and not in size, so a blocked broker costs no memory.
 */
import type { Snapshot } from '../measure/snapshot.ts'
import { mergeSnapshots } from '../measure/snapshot-merge.ts'
import { splitSnapshot } from './wire/split-snapshot.ts'

export class Handover {
  #untold: Snapshot | undefined

  add(snapshot: Snapshot): void {
    this.#untold = this.#untold === undefined ? snapshot : mergeSnapshots(this.#untold, snapshot)
  }

  /** Whether deliveries are among what was not told. */
  get hasDeliveries(): boolean {
    return (this.#untold?.latencyUs.count ?? 0) > 0
  }

  /**
   * Everything since the last call, in pieces that fit into messages.
   * @param clockBoundUs what the replica's own clock adds to the bound of its threads
   */
  take(clockBoundUs: number): Snapshot[] {
    const untold = this.#untold
    this.#untold = undefined
    return untold === undefined ? [] : splitSnapshot({ ...untold, clockBoundUs: untold.clockBoundUs + clockBoundUs })
  }
}
