/**
 * Explicit local ports. A socket that binds a source address without a port makes the kernel search the whole range for one
 * that is free for every target (18,000 connections took 21 s, and 1 s with a port given), so each thread deals out ports
 * from a slice of its own. It opens no sockets: whether a port is busy is told by the dial that tried it.
 */
import { readFileSync } from 'node:fs'

export interface PortRange {
  readonly first: number
  /** Inclusive. */
  readonly last: number
}

const RANGE_FILE = '/proc/sys/net/ipv4/ip_local_port_range'
/** Linux's default; also what is taken where there is no such file. */
const DEFAULT_RANGE: PortRange = { first: 32_768, last: 60_999 }

/** The ports this machine hands out to outgoing connections. */
export function localPortRange(readText: (path: string) => string = (path) => readFileSync(path, 'utf8')): PortRange {
  try {
    const [first, last] = readText(RANGE_FILE).trim().split(/\s+/).map(Number)
    if (Number.isInteger(first) && Number.isInteger(last) && first! > 0 && last! >= first!) return { first: first!, last: last! }
  } catch {
    // another system, or /proc is not mounted
  }
  return DEFAULT_RANGE
}

/** The slice of one of `slices` threads; slices are disjoint, and nearly equal. */
export function slicePorts({ first, last }: PortRange, index: number, slices: number): PortRange {
  const ports = last - first + 1
  return { first: first + Math.floor((index * ports) / slices), last: first + Math.floor(((index + 1) * ports) / slices) - 1 }
}

interface PairState {
  next: number
  /** Ports in a row that were found busy. */
  busyInARow: number
}

/** Deals out ports per pair of source and target address: the same port may serve several pairs. */
export class LocalPorts {
  readonly #slice: PortRange
  readonly #size: number
  readonly #startAt: number
  readonly #pairs = new Map<number, PairState>()

  /** @param startAt 0 to 1, where in the slice to begin: a second run should not meet the ports the first left in TIME_WAIT */
  constructor(slice: PortRange, startAt: number) {
    this.#slice = slice
    this.#size = slice.last - slice.first + 1
    this.#startAt = Math.floor(startAt * this.#size)
  }

  /** The next port to try for a pair. */
  next(pair: number): number {
    const state = this.#stateOf(pair)
    const port = this.#slice.first + state.next
    state.next = (state.next + 1) % this.#size
    return port
  }

  /** A dial of the pair got its port. */
  worked(pair: number): void {
    this.#stateOf(pair).busyInARow = 0
  }

  /** The port was busy. False: every port of the slice was, one after the other, so another try has no point. */
  wasBusy(pair: number): boolean {
    const state = this.#stateOf(pair)
    state.busyInARow++
    return state.busyInARow < this.#size
  }

  #stateOf(pair: number): PairState {
    const known = this.#pairs.get(pair)
    if (known !== undefined) return known
    const state = { next: this.#startAt % this.#size, busyInARow: 0 }
    this.#pairs.set(pair, state)
    return state
  }
}
