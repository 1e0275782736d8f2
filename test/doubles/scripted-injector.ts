/**
 * An injector that does what the test says: obstacles stand when set, probes settle when told. It keeps everything it was given.
 */
import type { Injection, InjectionOutcome, Injector, InjectorListener, Obstacle } from '../../src/broker/injector.ts'

export class ScriptedInjector implements Injector {
  readonly injected: Injection[] = []
  listener: InjectorListener | undefined
  isClosed = false
  #obstacle: Obstacle | undefined
  #outstanding: Injection[] = []
  #window: number

  constructor({ window = Number.POSITIVE_INFINITY }: { window?: number } = {}) {
    this.#window = window
  }

  async open(listener: InjectorListener): Promise<void> {
    this.listener = listener
  }

  obstacle(): Obstacle | undefined {
    return this.#obstacle ?? (this.#outstanding.length >= this.#window ? 'window' : undefined)
  }

  inject(injection: Injection): void {
    if (this.obstacle() !== undefined) throw new Error(`injected in spite of ${this.obstacle()}`)
    this.injected.push(injection)
    this.#outstanding.push(injection)
  }

  outstanding(): number {
    return this.#outstanding.length
  }

  async close(): Promise<void> {
    this.isClosed = true
  }

  /** Sets or clears what stands in the way. */
  stand(obstacle: Obstacle | undefined): void {
    this.#obstacle = obstacle
    this.listener?.onObstacleChanged()
  }

  /** Settles the oldest outstanding probes. */
  settle(outcome: InjectionOutcome, { count = 1, confirmUs = 1_000 }: { count?: number; confirmUs?: number } = {}): void {
    for (const { stream, sequence } of this.#outstanding.splice(0, count)) {
      this.listener?.onSettled(stream, sequence, outcome, outcome === 'unknown' ? undefined : confirmUs)
    }
    this.listener?.onObstacleChanged()
  }

  /** The connection goes: everything outstanding is unknown. */
  disconnect(): void {
    this.#obstacle = 'disconnected'
    this.settle('unknown', { count: this.#outstanding.length })
    this.listener?.onConnection(false, 'gone')
  }

  sequences(): number[] {
    return this.injected.map(({ sequence }) => sequence)
  }
}
