/**
 * Dials one thread's clients in order, at the planned rate and within the limit of handshakes in flight, and gives up on
 * those that take too long. A failed dial is data and is not repeated, except on another local port when the first was busy,
 * and at another address of the name when nobody took a connection at the first. It keeps no books, and who dials again after
 * a lost connection is decided by `reconnects.ts`.
 */
import { isIP } from 'node:net'
import { msToUs, usToMs } from '../../units.ts'
import type { ConnectionEnd, Dial, Engine } from '../engine.ts'
import { type DialPacing, decideDial, sourceOfClient, targetOfClient } from './dial-pacing.ts'
import type { LocalPorts } from './local-ports.ts'
import type { TargetAddresses } from './target-addresses.ts'

export interface DialerParts {
  readonly engine: Engine
  /** Slot → client index, in the order in which they are due. */
  readonly clients: readonly number[]
  readonly pacing: DialPacing
  readonly connectTimeoutMs: number
  /** The port of each entry of WS_ADDR. */
  readonly targetPorts: readonly number[]
  readonly sourceAddresses: readonly string[]
  readonly addresses: TargetAddresses
  readonly ports: LocalPorts
  readonly nowUs: () => number
  /** What to say when connected to its target. */
  readonly handshakeOf: (slot: number, target: number) => Dial['handshake']
  readonly onDial: (slot: number) => void
  readonly onPortRetry: () => void
  /** A dial that could not even be tried; dials that were tried end through the engine. */
  readonly onImpossible: (slot: number, end: ConnectionEnd) => void
}

interface Attempt {
  readonly startedUs: number
  readonly target: number
  readonly localAddress: string | undefined
  localPort: number | undefined
  remoteAddress: string
  /** Names the pair of addresses within which local ports are used once. */
  pair: string
}

/** A timer may fire a little early; never ask for less. */
const SHORTEST_WAIT_MS = 1

export class Dialer {
  readonly #parts: DialerParts
  readonly #connectTimeoutUs: number
  /** By slot, oldest first. */
  readonly #inFlight = new Map<number, Attempt>()
  #next = 0
  #isStopped = false
  #timer: NodeJS.Timeout | undefined

  constructor(parts: DialerParts) {
    this.#parts = parts
    this.#connectTimeoutUs = msToUs(parts.connectTimeoutMs)
  }

  start(): void {
    this.#pump()
  }

  /** Dials nobody for the first time any more. What is in flight goes on. */
  stop(): void {
    this.#isStopped = true
    clearTimeout(this.#timer)
  }

  /** Dials a client again that has lost its connection; false when too many handshakes are in flight. */
  dialAgain(slot: number): boolean {
    if (this.#inFlight.size >= this.#parts.pacing.concurrency) return false
    this.#begin(slot)
    return true
  }

  /** The slot's handshake was answered. */
  opened(slot: number): void {
    const attempt = this.#inFlight.get(slot)
    if (attempt === undefined) return
    this.#parts.addresses.worked(attempt.target)
    this.#parts.ports.worked(attempt.pair)
    this.#inFlight.delete(slot)
    this.#pump()
  }

  /** The slot's connection ended before it was open. True: it is being dialed again and has not failed yet. */
  triesAgain(slot: number, { code }: ConnectionEnd): boolean {
    const attempt = this.#inFlight.get(slot)
    if (attempt === undefined) return false
    if (this.#isWorthAnotherTry(attempt, code) && this.#aim(attempt)) {
      this.#dial(slot, attempt)
      return true
    }
    this.#inFlight.delete(slot)
    this.#pump()
    return false
  }

  /** Ends the handshakes that have taken too long; called every now and then. */
  expire(nowUs: number): void {
    for (const [slot, { startedUs, remoteAddress }] of this.#inFlight) {
      if (nowUs - startedUs < this.#connectTimeoutUs) return
      const { engine, connectTimeoutMs } = this.#parts
      if (engine.isConnected(slot))
        engine.abort(slot, 'handshake-timeout', `${remoteAddress} did not answer the handshake within ${connectTimeoutMs} ms`)
      else engine.abort(slot, 'connect-timeout', `no connection to ${remoteAddress} within ${connectTimeoutMs} ms`)
    }
  }

  #pump(): void {
    const { clients, pacing, nowUs } = this.#parts
    clearTimeout(this.#timer)
    while (!this.#isStopped && this.#next < clients.length) {
      const decision = decideDial(clients[this.#next]!, pacing, { nowUs: nowUs(), inFlight: this.#inFlight.size })
      if (decision.kind === 'full') return
      if (decision.kind === 'wait') {
        this.#timer = setTimeout(() => this.#pump(), Math.max(SHORTEST_WAIT_MS, usToMs(decision.waitUs)))
        return
      }
      this.#begin(this.#next++)
    }
  }

  #begin(slot: number): void {
    const { clients, targetPorts, sourceAddresses, nowUs, onDial, onImpossible, addresses } = this.#parts
    const client = clients[slot]!
    const target = targetOfClient(client, targetPorts.length)
    const localAddress = sourceAddresses[sourceOfClient(client, targetPorts.length, sourceAddresses.length)]
    const attempt: Attempt = { startedUs: nowUs(), target, localAddress, localPort: undefined, remoteAddress: '', pair: '' }
    onDial(slot)
    if (this.#aim(attempt)) {
      this.#inFlight.set(slot, attempt)
      this.#dial(slot, attempt)
      return
    }
    onImpossible(slot, { code: 'dns', wasOpen: false, text: addresses.failure(target) })
  }

  /** Chooses where to and from where; false when the target has no address for this source. */
  #aim(attempt: Attempt): boolean {
    const { addresses, ports, targetPorts } = this.#parts
    const { target, localAddress } = attempt
    const remoteAddress = addresses.current(target, localAddress === undefined ? undefined : isIP(localAddress))
    if (remoteAddress === undefined) return false
    attempt.remoteAddress = remoteAddress
    if (localAddress === undefined) return true
    attempt.pair = `${localAddress} to ${remoteAddress} ${targetPorts[target]}`
    attempt.localPort = ports.next(attempt.pair)
    return true
  }

  #dial(slot: number, { target, remoteAddress, localAddress, localPort }: Attempt): void {
    const { engine, handshakeOf } = this.#parts
    engine.dial({ slot, handshake: handshakeOf(slot, target), remoteAddress, localAddress, localPort })
  }

  #isWorthAnotherTry({ target, pair, remoteAddress, localPort }: Attempt, code: ConnectionEnd['code']): boolean {
    const { addresses, ports, onPortRetry } = this.#parts
    switch (code) {
      case 'no-ports':
        if (localPort === undefined || !ports.wasBusy(pair)) return false
        onPortRetry()
        return true
      case 'refused':
      case 'unreachable':
        return addresses.failed(target, remoteAddress)
      case 'connect-timeout':
        // This dial has no time left; the next ones go elsewhere.
        addresses.failed(target, remoteAddress)
        return false
      default:
        return false
    }
  }
}
