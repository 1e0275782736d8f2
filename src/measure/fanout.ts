/**
 * First, last and how many deliveries of every probe of one stream, as one thread saw them since it was last asked. Rows are handed
 * over as they are, once a second: whoever adds them up over time and threads gets the whole fan-out.
 */
import type { Stamp } from '../probe/probe.ts'
import { NO_FANOUT, newFanoutColumns } from './fanout-merge.ts'
import type { FanoutRows } from './snapshot.ts'

/** Rows between two handovers; deliveries of a probe that finds no room are counted and left out. */
const MAX_ROWS = 1_048_576
/** Small, since a run may have thousands of streams with a probe a second each. */
const FIRST_CAPACITY = 16
const FREE = -1

export class Fanout {
  readonly #stream: number
  readonly #maxRows: number
  /** First deliveries that found no room since the last `take`. */
  #capped = 0
  #rows = 0
  // An open table: a row stands at the low bits of its sequence, or after them, and at most every second place is taken.
  #mask = 0
  #sequences = new Int32Array(0)
  #columns = newFanoutColumns(0)
  #counts = this.#columns.count
  #lastUs = this.#columns.lastUs

  /** @param stream its index, told with every row */
  constructor(stream: number, maxRows = MAX_ROWS) {
    this.#stream = stream
    this.#maxRows = maxRows
    this.#allocate(FIRST_CAPACITY)
  }

  /** Adds one first delivery; false when the probe is new since the last `take`. On the receive path. */
  add(sequence: number, stamp: Stamp, receivedUs: number): boolean {
    let place = sequence & this.#mask
    while (this.#sequences[place] !== sequence) {
      if (this.#sequences[place] === FREE) {
        this.#open(sequence, stamp, receivedUs)
        return false
      }
      place = (place + 1) & this.#mask
    }
    this.#counts[place]!++
    this.#lastUs[place] = receivedUs
    return true
  }

  /** The rows since the last `take`, by sequence, and how many deliveries found no room in them. */
  take(): { rows: FanoutRows; capped: number } {
    if (this.#rows === 0) return { rows: NO_FANOUT, capped: 0 }
    const rows = newFanoutColumns(this.#rows)
    const places = [...this.#sequences.keys()].filter((place) => this.#sequences[place] !== FREE)
    places.sort((a, b) => this.#sequences[a]! - this.#sequences[b]!)
    places.forEach((place, row) => {
      rows.stream[row] = this.#stream
      rows.sequence[row] = this.#sequences[place]!
      rows.intendedUs[row] = this.#columns.intendedUs[place]!
      rows.sentUs[row] = this.#columns.sentUs[place]!
      rows.firstUs[row] = this.#columns.firstUs[place]!
      rows.lastUs[row] = this.#columns.lastUs[place]!
      rows.count[row] = this.#columns.count[place]!
    })
    const capped = this.#capped
    this.#capped = 0
    this.#rows = 0
    this.#sequences.fill(FREE)
    return { rows, capped }
  }

  #open(sequence: number, stamp: Stamp, receivedUs: number): void {
    if (this.#rows >= this.#maxRows) {
      this.#capped++
      return
    }
    if (this.#rows * 2 >= this.#sequences.length) this.#grow()
    const place = this.#freePlace(sequence)
    this.#rows++
    this.#sequences[place] = sequence
    this.#columns.intendedUs[place] = stamp.intendedUs
    this.#columns.sentUs[place] = stamp.sentUs
    this.#columns.firstUs[place] = receivedUs
    this.#columns.lastUs[place] = receivedUs
    this.#columns.count[place] = 1
  }

  #freePlace(sequence: number): number {
    let place = sequence & this.#mask
    while (this.#sequences[place] !== FREE) place = (place + 1) & this.#mask
    return place
  }

  #grow(): void {
    const sequences = this.#sequences
    const columns = this.#columns
    this.#allocate(sequences.length * 2)
    for (let from = 0; from < sequences.length; from++) {
      if (sequences[from] === FREE) continue
      const to = this.#freePlace(sequences[from]!)
      this.#sequences[to] = sequences[from]!
      for (const name of movedColumns) this.#columns[name][to] = columns[name][from]!
    }
  }

  #allocate(capacity: number): void {
    this.#mask = capacity - 1
    this.#sequences = new Int32Array(capacity).fill(FREE)
    this.#columns = newFanoutColumns(capacity)
    this.#counts = this.#columns.count
    this.#lastUs = this.#columns.lastUs
  }
}

const movedColumns = ['intendedUs', 'sentUs', 'firstUs', 'lastUs', 'count'] as const
