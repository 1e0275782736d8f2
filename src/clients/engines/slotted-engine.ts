/**
 * What every engine does with its slots: keeps a connection in each, passes calls on to it, and frees the slot when it has
 * ended. How a connection speaks is the business of the engines that extend this.
 */
import type { CountedCode } from '../../errors.ts'
import type { ConnectionEnd, Dial, Engine, EngineListener } from '../engine.ts'
import type { ConnectionStage } from './socket-faults.ts'

/** One dial and what comes of it. Calls that make no sense at its stage do nothing. */
export interface Connection {
  readonly stage: ConnectionStage
  start(dial: Dial): void
  send(data: string | Uint8Array): void
  close(closeCode: number): void
  abort(code: CountedCode | undefined, text: string): void
}

export abstract class SlottedEngine<C extends Connection> implements Engine {
  reads = 0
  frames = 0
  bytes = 0
  readonly listener: EngineListener
  readonly #connections: (C | undefined)[] = []

  constructor(listener: EngineListener) {
    this.listener = listener
  }

  protected abstract connectionFor(dial: Dial): C

  protected connection(slot: number): C | undefined {
    return this.#connections[slot]
  }

  dial(dial: Dial): void {
    const connection = this.connectionFor(dial)
    this.#connections[dial.slot] = connection
    connection.start(dial)
  }

  send(slot: number, data: string | Uint8Array): void {
    this.#connections[slot]?.send(data)
  }

  close(slot: number, closeCode: number): void {
    this.#connections[slot]?.close(closeCode)
  }

  abort(slot: number, code: CountedCode | undefined, text: string): void {
    this.#connections[slot]?.abort(code, text)
  }

  isConnected(slot: number): boolean {
    const stage = this.#connections[slot]?.stage
    return stage !== undefined && stage !== 'connecting'
  }

  /** Frees the slot and tells the end; each connection calls it once. */
  ended(slot: number, end: ConnectionEnd): void {
    this.#connections[slot] = undefined
    this.listener.onEnd(slot, end)
  }
}
