/**
 * One replica as the coordinator knows it: its share, its figures so far, and what it was asked. What its death means is decided by
 * `replica-crowd.ts`.
 */
import { correctionAtDeath } from '../clients/threads/dead-thread.ts'
import type { RosterShare } from '../config/plan.ts'
import { NO_FANOUT } from '../measure/fanout-merge.ts'
import type { HeardProbes } from '../measure/owed.ts'
import type { Snapshot } from '../measure/snapshot.ts'
import { emptyClientCounts, emptySnapshot, mergeSnapshots } from '../measure/snapshot-merge.ts'
import { SnapshotTotal } from '../measure/snapshot-total.ts'
import type { ReplicaClockState } from '../run/result.ts'
import type { Usage } from '../run/usage.ts'
import type { Peer } from './peer.ts'
import type { Parcel } from './wire/parcel.ts'

export interface MemberFacts {
  /** From 1. */
  readonly number: number
  /** Of the host. */
  readonly name: string
  readonly share: RosterShare
  readonly peer: Peer
}

export class Member {
  readonly number: number
  readonly name: string
  readonly share: RosterShare
  usage: Usage = { cpuSeconds: 0, rssBytes: 0 }
  clock: ReplicaClockState = { isShared: true, offsetUs: 0, boundUs: 0, steps: 0 }
  /** Its threads that died, a sentence each. */
  died: readonly string[] = []
  readonly #peer: Peer
  readonly #figures = new SnapshotTotal()
  readonly #pending = new Map<number, (heard: HeardProbes | undefined) => void>()
  /** The part of the figures that its death would need. */
  #books = emptySnapshot()
  #isDead = false

  constructor({ number, name, share, peer }: MemberFacts) {
    this.number = number
    this.name = name
    this.share = share
    this.#peer = peer
  }

  get isDead(): boolean {
    return this.#isDead
  }

  /** "Replica 2 (host)": how people find it. */
  get title(): string {
    return `Replica ${this.number} (${this.name})`
  }

  /** Everything it has told, without the fan-out rows: they mean something only when all replicas' are added up. */
  get figures(): Snapshot {
    return this.#figures.read()
  }

  /** What it has told of its clients and their deliveries, corrections included. */
  get books(): Snapshot {
    return this.#books
  }

  tell(parcel: Parcel): void {
    if (!this.#isDead) this.#peer.say(parcel)
  }

  /** Resolves with the answer, or with undefined when it dies first. */
  ask(request: number, parcel: Parcel): Promise<HeardProbes | undefined> {
    if (this.#isDead) return Promise.resolve(undefined)
    const answer = new Promise<HeardProbes | undefined>((resolve) => this.#pending.set(request, resolve))
    this.#peer.say(parcel)
    return answer
  }

  answered(request: number, heard: HeardProbes): void {
    this.#pending.get(request)?.(heard)
    this.#pending.delete(request)
  }

  /** Adds what happened since its last snapshot, or a correction. */
  add(snapshot: Snapshot): void {
    const { fromUs, toUs, clients, measured, readyClients } = snapshot
    this.#books = mergeSnapshots(this.#books, { ...emptySnapshot(), fromUs, toUs, clients, measured, readyClients })
    this.#figures.add({ ...snapshot, fanout: NO_FANOUT })
  }

  /** It will not be heard any more. Returns what that changes in the counts of clients. */
  die(): Snapshot {
    this.#isDead = true
    for (const resolve of this.#pending.values()) resolve(undefined)
    this.#pending.clear()
    const { wanted } = this.#books.clients
    // It may have died before it could say how many clients it holds.
    const neverTold = { ...emptySnapshot(), clients: { ...emptyClientCounts(), wanted: this.share.clients - wanted } }
    return mergeSnapshots(neverTold, correctionAtDeath(mergeSnapshots(this.#books, neverTold)))
  }
}
