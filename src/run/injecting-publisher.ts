/**
 * The publisher itself, on whichever thread it lives: canary, warm-up and measured probes through one injector. It routes what
 * the injector tells to whoever waits for it, and knows nothing of threads or messages.
 */
import type { InjectionOutcome, Injector, InjectorListener } from '../broker/injector.ts'
import { CANARY_STREAM, type Plan, WARMUP_STREAM } from '../config/plan.ts'
import { assert, describeError, FanfareError } from '../errors.ts'
import type { PublisherLog } from '../measure/publisher-log.ts'
import type { ThreadHealth } from '../measure/snapshot.ts'
import type { BodyTemplate } from '../probe/template.ts'
import type { Alarm } from './alarm.ts'
import { Canary } from './canary-probe.ts'
import { PublishBooks } from './publish-books.ts'
import { type PacedStream, PublishLoop } from './publish-loop.ts'
import type { CanaryOutcome, NoticeLevel, Publisher, PublisherSnapshot, PublishOutcome } from './publisher.ts'
import { targetRatePerSecond } from './publisher-snapshot.ts'
import { WarmUpBooks } from './warm-up-books.ts'

export interface InjectingPublisherOptions {
  readonly plan: Plan
  readonly injector: Injector
  readonly log: PublisherLog
  readonly template: BodyTemplate
  /** The run clock, microseconds, and how far it may be off. */
  readonly nowUs: () => number
  readonly clockBoundUs: number
  readonly makeAlarm: (ring: () => void) => Alarm
  readonly health: () => ThreadHealth
  /** A sentence for the log: the connection was lost, is back, is blocked. */
  readonly notice: (text: string, level: NoticeLevel) => void
  /** The broker is lost for good. */
  readonly lost: (error: FanfareError) => void
}

export class InjectingPublisher implements Publisher, InjectorListener {
  readonly #options: InjectingPublisherOptions
  readonly #books: PublishBooks
  readonly #blocked: PublisherSnapshot['blocked'] = []
  #connectionLosses = 0
  #canary: Canary | undefined
  #canaries = 0
  #warmUp: PublishLoop | undefined
  #measured: PublishLoop | undefined
  #lostBecause: FanfareError | undefined
  #isClosed = false

  constructor(options: InjectingPublisherOptions) {
    this.#options = options
    this.#books = new PublishBooks(options.log)
  }

  get log(): PublisherLog {
    return this.#options.log
  }

  get lostBecause(): FanfareError | undefined {
    return this.#lostBecause
  }

  open(signal: AbortSignal): Promise<void> {
    return this.#options.injector.open(this, signal)
  }

  async canary(signal: AbortSignal): Promise<CanaryOutcome> {
    const { plan, injector, template, nowUs } = this.#options
    const canary = new Canary({ plan, injector, template, nowUs, flight: this.#canaries })
    this.#canaries += 1
    this.#canary = canary
    if (this.#lostBecause !== undefined) return 'unknown'
    return canary.fly(signal)
  }

  async warmUp(signal: AbortSignal): Promise<void> {
    const { plan } = this.#options
    const slots = plan.settings.warmupCount
    const streams = plan.streams.map(({ routingKey }, place) => ({ index: WARMUP_STREAM, routingKey, firstSequence: place * slots }))
    this.#warmUp = this.#loop(streams, { slots, sink: new WarmUpBooks(), resend: false })
    if (this.#lostBecause === undefined) await this.#warmUp.run(signal)
  }

  async publish(signal: AbortSignal): Promise<PublishOutcome> {
    const { plan } = this.#options
    assert(this.#measured === undefined, 'measured probes are published once')
    assert(plan.publish.countPerStream !== undefined, 'a plan without a number of probes has no publisher')
    this.#measured = this.#loop(plan.streams, { slots: plan.publish.countPerStream, sink: this.#books, resend: plan.settings.resend })
    if (this.#lostBecause !== undefined) return 'lost'
    const outcome = await this.#measured.run(signal)
    this.#books.close()
    return outcome
  }

  snapshot(): PublisherSnapshot {
    const { plan, injector, health, clockBoundUs } = this.#options
    return {
      ...this.#books.figures(),
      scheduled: this.#measured?.scheduled ?? 0,
      targetRatePerSecond: targetRatePerSecond(plan),
      blocked: this.#blocked.map((interval) => ({ ...interval })),
      connectionLosses: this.#connectionLosses,
      obstacle: this.#isClosed ? undefined : injector.obstacle(),
      thread: health(),
      clockBoundUs,
    }
  }

  close(): Promise<void> {
    this.#isClosed = true
    return this.#options.injector.close()
  }

  onSettled(stream: number, sequence: number, outcome: InjectionOutcome, confirmUs: number | undefined): void {
    if (stream === CANARY_STREAM) this.#canary?.settled(sequence, outcome)
    else if (stream === WARMUP_STREAM) this.#warmUp?.settled(stream, sequence, outcome, confirmUs)
    else this.#measured?.settled(stream, sequence, outcome, confirmUs)
  }

  onObstacleChanged(): void {
    this.#canary?.obstacleChanged()
    this.#warmUp?.obstacleChanged()
    this.#measured?.obstacleChanged()
  }

  onBlocked(isBlocked: boolean, reason: string): void {
    const nowUs = this.#options.nowUs()
    const last = this.#blocked.at(-1)
    if (isBlocked) this.#blocked.push({ startUs: nowUs, endUs: undefined, reason })
    else if (last !== undefined) last.endUs = nowUs
    if (isBlocked) this.#options.notice(`The broker blocks publishing: ${reason}.`, 'warn')
    else this.#options.notice('The broker no longer blocks publishing.', 'info')
  }

  /** That a broker is waited for is news; a loss has been told already, and further attempts are details. */
  onRetry(attempt: number, text: string): void {
    const isNews = attempt === 1 && this.#connectionLosses === 0
    this.#options.notice(isNews ? `${text} It is waited for (AMQP_WAIT_MS).` : text, isNews ? 'warn' : 'debug')
  }

  onConnection(isUp: boolean, text: string): void {
    if (!isUp) this.#connectionLosses += 1
    this.#options.notice(text, isUp ? 'info' : 'warn')
  }

  onLost(error: Error): void {
    this.#lostBecause = error instanceof FanfareError ? error : new FanfareError('fault', describeError(error), { cause: error })
    this.#options.lost(this.#lostBecause)
    this.#canary?.lost()
    this.#warmUp?.lost()
    this.#measured?.lost()
  }

  #loop(
    streams: readonly PacedStream[],
    { slots, sink, resend }: { slots: number; sink: PublishBooks | WarmUpBooks; resend: boolean },
  ): PublishLoop {
    const { plan, injector, template, nowUs, makeAlarm } = this.#options
    const { pace, catchUp } = plan.publish
    return new PublishLoop({
      runId: plan.runId,
      streams,
      pacer: { pace, catchUp, slots },
      template,
      injector,
      sink,
      resend,
      nowUs,
      makeAlarm,
    })
  }
}
