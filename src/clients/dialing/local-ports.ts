/**
 * Explicit local ports. A socket that binds a source address without a port makes the kernel search the whole range for one
 * that is free for every target (18,000 connections took 21 s, and 1 s with a port given), so each thread deals out ports
 * from a slice of its own. It opens no sockets: whether a port is busy is told by the dial that tried it.
 */
export interface PortRange {
  readonly first: number
  /** Inclusive. */
  readonly last: number
}

/** What Linux hands out to outgoing connections when nothing else is set. */
export const USUAL_LOCAL_PORTS: PortRange = { first: 32_768, last: 60_999 }

/**
 * The part of `range` for `own` clients of a process of `total`, when `before` are served by the threads before: as large as
 * the share of clients, and disjoint from the other threads' parts.
 */
export function slicePorts({ first, last }: PortRange, { before, own, total }: { before: number; own: number; total: number }): PortRange {
  const ports = last - first + 1
  const from = first + Math.floor((before * ports) / total)
  return { first: from, last: Math.max(from, first + Math.floor(((before + own) * ports) / total) - 1) }
}

interface PairState {
  next: number
  /** Ports in a row that were found busy. */
  busyInARow: number
}

/** Deals out ports per pair of source and target address (named by the caller): the same port may serve several pairs. */
export class LocalPorts {
  readonly #slice: PortRange
  readonly #size: number
  readonly #startAt: number
  readonly #pairs = new Map<string, PairState>()

  /** @param startAt 0 to 1, where in the slice to begin: a second run should not meet the ports the first left in TIME_WAIT */
  constructor(slice: PortRange, startAt: number) {
    this.#slice = slice
    this.#size = slice.last - slice.first + 1
    this.#startAt = Math.floor(startAt * this.#size)
  }

  /** The next port to try for a pair. */
  next(pair: string): number {
    const state = this.#stateOf(pair)
    const port = this.#slice.first + state.next
    state.next = (state.next + 1) % this.#size
    return port
  }

  /** A dial of the pair got its port. */
  worked(pair: string): void {
    this.#stateOf(pair).busyInARow = 0
  }

  /** The port was busy. False: every port of the slice was, one after the other, so another try has no point. */
  wasBusy(pair: string): boolean {
    const state = this.#stateOf(pair)
    state.busyInARow++
    return state.busyInARow < this.#size
  }

  #stateOf(pair: string): PairState {
    const known = this.#pairs.get(pair)
    if (known !== undefined) return known
    const state = { next: this.#startAt % this.#size, busyInARow: 0 }
    this.#pairs.set(pair, state)
    return state
  }
}
