/**
 * Probes enter through an AMQP 0-9-1 broker: a confirm channel on one connection at a time, its obstacles, and what becomes of the
 * probes when it is lost. It knows nothing of pacing or of what a probe holds.
 *
 *   idle ──open──▶ opening ──▶ up ──loss──▶ down ──reconnected──▶ up
 *                     │                       │
 *                     ▼ (open throws)         ▼ AMQP_WAIT_MS passed, a permission was refused, or it stalled
 *                   idle                     lost            close, from anywhere ──▶ closed
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { assert, describeError, FanfareError } from '../errors.ts'
import { msToUs, usToMs } from '../units.ts'
import { isWorthWaiting } from './amqp-failure.ts'
import { type AmqpLink, type LinkAsk, openLink } from './amqp-link.ts'
import { backOffMs } from './back-off.ts'
import type { Injection, InjectionOutcome, Injector, InjectorListener, Obstacle } from './injector.ts'
import { Outstanding } from './outstanding.ts'

/** One attempt to connect; less when AMQP_WAIT_MS leaves less, but at least MIN_ATTEMPT_MS. */
const MAX_ATTEMPT_MS = 10_000
const MIN_ATTEMPT_MS = 1_000
const STALL_CHECK_MS = 500

export interface AmqpInjectorOptions extends Omit<LinkAsk, 'timeoutMs'> {
  /** Probes that may be unconfirmed at a time. */
  readonly window: number
  /** How long an unreachable broker or a missing exchange is waited for. */
  readonly waitMs: number
  /** How long a connected broker may take and confirm nothing before it is lost. */
  readonly stallMs: number
  /** The run clock, microseconds. */
  readonly nowUs: () => number
}

type State =
  | { readonly kind: 'idle' | 'opening' | 'down' | 'lost' | 'closed' }
  | { readonly kind: 'up'; readonly link: AmqpLink; readonly outstanding: Outstanding }

export class AmqpInjector implements Injector {
  readonly #options: AmqpInjectorOptions
  readonly #ending = new AbortController()
  #state: State = { kind: 'idle' }
  #listener: InjectorListener | undefined
  #isDraining = false
  #isBlocked = false
  /** Since when nothing has gone well: the loss whose reconnection no confirm has followed yet. */
  #troubleSinceUs: number | undefined
  /** Losses since then. A broker that takes connections but no probes is dialed ever more slowly. */
  #failures = 0
  /** When the broker last took or settled something, while it had something to do. */
  #progressUs = 0
  #stallTimer: NodeJS.Timeout | undefined
  #closing: Promise<void> | undefined

  constructor(options: AmqpInjectorOptions) {
    this.#options = options
  }

  async open(listener: InjectorListener, signal: AbortSignal): Promise<void> {
    assert(this.#state.kind === 'idle', `an injector is opened once, this one is ${this.#state.kind}`)
    this.#listener = listener
    this.#state = { kind: 'opening' }
    const ended = AbortSignal.any([signal, this.#ending.signal])
    const deadlineUs = this.#options.nowUs() + msToUs(this.#options.waitMs)
    try {
      await this.#establish(deadlineUs, isWorthWaiting, ended)
    } catch (error) {
      if (this.#state.kind === 'opening') this.#state = { kind: 'idle' }
      throw error
    }
    this.#stallTimer = setInterval(() => this.#checkStall(), STALL_CHECK_MS)
  }

  obstacle(): Obstacle | undefined {
    if (this.#state.kind !== 'up') return 'disconnected'
    if (this.#isBlocked) return 'blocked'
    if (this.#isDraining) return 'drain'
    if (this.#state.outstanding.size >= this.#options.window) return 'window'
    return undefined
  }

  inject({ stream, sequence, routingKey, body }: Injection): void {
    const state = this.#state
    assert(state.kind === 'up' && this.obstacle() === undefined, `a probe was injected in spite of ${this.obstacle()}`)
    const nowUs = this.#options.nowUs()
    if (state.outstanding.size === 0) this.#progressUs = nowUs
    // The delivery tag is also the message id, by which a return names its probe: unique on the channel, and no second table.
    const tag = state.outstanding.add(stream, sequence, nowUs)
    const mayGoOn = state.link.publish(routingKey, body, String(tag))
    if (!mayGoOn) this.#isDraining = true
  }

  outstanding(): number {
    return this.#state.kind === 'up' ? this.#state.outstanding.size : 0
  }

  close(): Promise<void> {
    this.#closing ??= this.#close()
    return this.#closing
  }

  async #close(): Promise<void> {
    const state = this.#state
    this.#state = { kind: 'closed' }
    this.#ending.abort()
    clearInterval(this.#stallTimer)
    if (state.kind !== 'up') return
    this.#abandon(state.outstanding)
    await state.link.close()
  }

  /** Dials until there is a link, an error that `mayRetry` denies, or no time left. Throws the last error then. */
  async #establish(deadlineUs: number, mayRetry: (error: FanfareError) => boolean, ended: AbortSignal): Promise<void> {
    for (let failures = this.#failures; ; failures += 1) {
      if (failures > 0)
        await sleep(Math.min(backOffMs(failures - 1, Math.random()), this.#msUntil(deadlineUs)), undefined, { signal: ended })
      try {
        await this.#attempt(deadlineUs, ended)
        return
      } catch (error) {
        if (ended.aborted || !(error instanceof FanfareError) || !mayRetry(error)) throw error
        if (this.#options.nowUs() >= deadlineUs) throw waitedInVain(error, this.#options.waitMs)
        this.#listener!.onRetry?.(failures + 1, error.message)
      }
    }
  }

  async #attempt(deadlineUs: number, ended: AbortSignal): Promise<void> {
    const timeoutMs = Math.max(MIN_ATTEMPT_MS, Math.min(MAX_ATTEMPT_MS, this.#msUntil(deadlineUs)))
    const outstanding = new Outstanding()
    const link = await openLink(
      { ...this.#options, timeoutMs },
      {
        onConfirmed: (tag, isMultiple, outcome) => this.#confirm(outstanding, tag, isMultiple, outcome),
        onReturned: (messageId) => outstanding.markReturned(Number(messageId)),
        onDrained: () => this.#drained(),
        onBlocked: (isBlocked, reason) => this.#block(isBlocked, reason),
        onLost: (failure) => this.#lose(failure),
      },
      ended,
    )
    if (ended.aborted) {
      await link.close()
      throw new FanfareError('broker-unreachable', 'Connecting to the broker was given up.')
    }
    this.#progressUs = this.#options.nowUs()
    this.#state = { kind: 'up', link, outstanding }
  }

  #confirm(outstanding: Outstanding, tag: number, isMultiple: boolean, outcome: 'confirmed' | 'nacked'): void {
    const before = this.obstacle()
    this.#troubleSinceUs = undefined
    this.#failures = 0
    this.#progressUs = this.#options.nowUs()
    outstanding.confirm(tag, isMultiple, outcome, this.#settle)
    this.#tellObstacle(before)
  }

  readonly #settle = (stream: number, sequence: number, outcome: InjectionOutcome, injectedUs: number): void => {
    const confirmUs = outcome === 'unknown' ? undefined : this.#progressUs - injectedUs
    this.#listener!.onSettled(stream, sequence, outcome, confirmUs)
  }

  #drained(): void {
    const before = this.obstacle()
    this.#isDraining = false
    this.#progressUs = this.#options.nowUs()
    this.#tellObstacle(before)
  }

  #block(isBlocked: boolean, reason: string): void {
    if (isBlocked === this.#isBlocked) return
    const before = this.obstacle()
    this.#isBlocked = isBlocked
    this.#progressUs = this.#options.nowUs()
    this.#listener!.onBlocked(isBlocked, reason)
    this.#tellObstacle(before)
  }

  /** The link is gone: its probes are unknown, and a new one is sought, once at a time. */
  #lose(failure: FanfareError): void {
    const state = this.#state
    if (state.kind !== 'up') return
    const nowUs = this.#options.nowUs()
    this.#troubleSinceUs ??= nowUs
    this.#state = { kind: 'down' }
    this.#isDraining = false
    this.#listener!.onConnection(false, failure.message)
    this.#block(false, '')
    this.#abandon(state.outstanding)
    this.#listener!.onObstacleChanged()
    if (isFinal(failure)) this.#giveUp(failure)
    else void this.#reconnect(this.#troubleSinceUs + msToUs(this.#options.waitMs), failure)
    this.#failures += 1
  }

  async #reconnect(deadlineUs: number, loss: FanfareError): Promise<void> {
    try {
      if (this.#options.nowUs() > deadlineUs) throw loss
      await this.#establish(deadlineUs, () => true, this.#ending.signal)
    } catch (error) {
      this.#giveUp(error instanceof FanfareError ? error : new FanfareError('fault', describeError(error), { cause: error }))
      return
    }
    this.#listener!.onConnection(true, `Connected to ${this.#options.address.shown} again.`)
    this.#listener!.onObstacleChanged()
  }

  #giveUp(failure: FanfareError): void {
    if (this.#state.kind === 'closed' || this.#state.kind === 'lost') return
    this.#state = { kind: 'lost' }
    clearInterval(this.#stallTimer)
    this.#listener!.onLost(failure)
  }

  /** No broker is waited for without end: one that confirms nothing, takes nothing or stays blocked is lost after a while. */
  #checkStall(): void {
    const state = this.#state
    if (state.kind !== 'up' || (state.outstanding.size === 0 && this.obstacle() === undefined)) return
    const { stallMs } = this.#options
    if (this.#options.nowUs() - this.#progressUs < msToUs(stallMs)) return
    const why = this.#isBlocked ? 'it blocks publishing (an alarm of its memory or disk)' : 'it confirms nothing'
    const failure = new FanfareError('broker-stalled', `${this.#options.address.shown} has taken no probe for ${stallMs} ms: ${why}.`)
    void state.link.close()
    this.#lose(failure)
  }

  #abandon(outstanding: Outstanding): void {
    this.#progressUs = this.#options.nowUs()
    outstanding.abandon(this.#settle)
  }

  /** Whole milliseconds, as timers want them. */
  #msUntil(deadlineUs: number): number {
    return Math.max(0, Math.ceil(usToMs(deadlineUs - this.#options.nowUs())))
  }

  #tellObstacle(before: Obstacle | undefined): void {
    if (this.obstacle() !== before) this.#listener!.onObstacleChanged()
  }
}

/**
 * Losses after which no reconnecting helps: a refused permission is somebody's decision, and would be fed more and more probes; a broker
 * that stalls has been waited for already.
 */
const isFinal = ({ code }: FanfareError): boolean => code === 'broker-access-refused' || code === 'broker-stalled'

const waitedInVain = (error: FanfareError, waitMs: number): FanfareError =>
  waitMs === 0 ? error : new FanfareError(error.code, `${error.message} Waited ${waitMs} ms (AMQP_WAIT_MS).`, { cause: error.cause })
