/**
 * A running total of snapshots that come many a second and are asked for less often. New ones are added up among themselves first: a
 * second of twenty replicas is small, the total of a long run is not. Only a matter of cost, since merging is associative.
 */
import type { Snapshot } from './snapshot.ts'
import { emptySnapshot, mergeSnapshots } from './snapshot-merge.ts'

export class SnapshotTotal {
  #total = emptySnapshot()
  #added = emptySnapshot()

  add(snapshot: Snapshot): void {
    this.#added = mergeSnapshots(this.#added, snapshot)
  }

  /** Everything added so far. */
  read(): Snapshot {
    if (this.#added.toUs > 0) {
      this.#total = mergeSnapshots(this.#total, this.#added)
      this.#added = emptySnapshot()
    }
    return this.#total
  }
}
