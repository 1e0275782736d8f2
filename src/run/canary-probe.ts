/**
 * One flight of the canary: a probe to every stream as soon as the injector takes it, and the worst of their fates. What clients
 * hear of it is somebody else's business; its sequence is the place of the stream, the same in every flight, so that they can
 * tell which streams they have heard.
 */
import type { InjectionOutcome, Injector } from '../broker/injector.ts'
import { CANARY_STREAM, type Plan } from '../config/plan.ts'
import type { BodyTemplate } from '../probe/template.ts'
import type { CanaryOutcome } from './publisher.ts'

/** From best to worst. */
const SEVERITY: readonly CanaryOutcome[] = ['confirmed', 'returned', 'nacked', 'unknown', 'timeout']

export interface CanaryOptions {
  readonly plan: Plan
  readonly injector: Injector
  readonly template: BodyTemplate
  readonly nowUs: () => number
  /** Tells this flight's probes from those of the ones before. */
  readonly flight: number
}

export class Canary {
  readonly #options: CanaryOptions
  #sent = 0
  #settled = 0
  #worst: CanaryOutcome = 'confirmed'
  #resolve: (outcome: CanaryOutcome) => void = () => undefined

  constructor(options: CanaryOptions) {
    this.#options = options
  }

  /** Resolves with the worst fate, `timeout` after CANARY_TIMEOUT_MS or when `signal` ends it. */
  async fly(signal: AbortSignal): Promise<CanaryOutcome> {
    const outcome = new Promise<CanaryOutcome>((resolve) => {
      this.#resolve = resolve
    })
    const giveUp = (): void => this.#resolve('timeout')
    const timer = setTimeout(giveUp, this.#options.plan.settings.canaryTimeoutMs)
    signal.addEventListener('abort', giveUp, { once: true })
    if (signal.aborted) giveUp()
    else this.obstacleChanged()
    try {
      return await outcome
    } finally {
      // A flight that is over sends no more.
      this.#sent = this.#options.plan.streams.length
      clearTimeout(timer)
      signal.removeEventListener('abort', giveUp)
    }
  }

  obstacleChanged(): void {
    const { plan, injector, template, nowUs } = this.#options
    while (this.#sent < plan.streams.length && injector.obstacle() === undefined) {
      const sentUs = nowUs()
      const place = this.#sent
      const body = template.render({ run: plan.runId, stream: CANARY_STREAM, sequence: place, intendedUs: sentUs, sentUs })
      this.#sent += 1
      injector.inject({ stream: CANARY_STREAM, sequence: this.#firstId + place, routingKey: plan.streams[place]!.routingKey, body })
    }
  }

  settled(sequence: number, outcome: InjectionOutcome): void {
    if (sequence < this.#firstId || sequence >= this.#firstId + this.#options.plan.streams.length) return
    if (SEVERITY.indexOf(outcome) > SEVERITY.indexOf(this.#worst)) this.#worst = outcome
    this.#settled += 1
    if (this.#settled === this.#options.plan.streams.length) this.#resolve(this.#worst)
  }

  lost(): void {
    this.#resolve('unknown')
  }

  /** What the injector knows this flight's probes by begins here. */
  get #firstId(): number {
    return this.#options.flight * this.#options.plan.streams.length
  }
}
