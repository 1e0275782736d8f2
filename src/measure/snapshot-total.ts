/**
 * A running total of snapshots that come many a second and are asked for less often. New ones are added up among themselves first: a
 * second of twenty replicas is small, the total of a long run is not. Only a matter of cost, since merging is associative.
 */
import type { Snapshot } from './snapshot.ts'
import { emptySnapshot, mergeSnapshots } from './snapshot-merge.ts'

export class SnapshotTotal {
  #total = emptySnapshot()
  /** Not in the total yet; undefined when nothing is. */
  #added: Snapshot | undefined

  add(snapshot: Snapshot): void {
    this.#added = this.#added === undefined ? snapshot : mergeSnapshots(this.#added, snapshot)
  }

  /** Everything added so far. */
  read(): Snapshot {
    if (this.#added !== undefined) {
      this.#total = mergeSnapshots(this.#total, this.#added)
      this.#added = undefined
    }
    return this.#total
  }
}
