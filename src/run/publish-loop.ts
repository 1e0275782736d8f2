/**
 * Sends probes when the pacer says they are due and the injector takes them, until all are settled. It decides nothing about time
 * itself (the pacer does) and keeps no figures (the sink does); it never waits for anything but its alarm and the injector.
 */
import type { InjectionOutcome, Injector } from '../broker/injector.ts'
import { decidePace, type PacerOptions } from '../measure/pacer.ts'
import type { BodyTemplate } from '../probe/template.ts'
import { US_PER_SECOND } from '../units.ts'
import type { Alarm } from './alarm.ts'
import { ObstacleHistory } from './obstacle-history.ts'
import type { ProbeSink } from './publish-books.ts'
import type { PublishOutcome } from './publisher.ts'

/** A pass hands over so many probes, or as many as this time takes; then confirms, heartbeats and aborts have their turn. */
const PASS_PROBES = 100
const PASS_US = 2_000
/** With slots closer than this, the due ones go together: the thread wakes at most 2,000 times a second. */
const SHORTEST_WAIT_US = 500
/** After an abort, confirms on their way are still booked for this long. */
const ABORT_GRACE_US = US_PER_SECOND

/** A stream as the loop sees it: what its tokens say and where its probes go. */
export interface PacedStream {
  readonly index: number
  readonly routingKey: string
  /** Where its numbering begins; default 0. Streams that share an index must not share numbers. */
  readonly firstSequence?: number
}

export interface PublishLoopOptions {
  readonly runId: string
  readonly streams: readonly PacedStream[]
  /** Of each stream: its probe n is due in slot n. Streams take turns, evenly over a slot, so that many streams are no burst. */
  readonly pacer: PacerOptions
  readonly template: BodyTemplate
  readonly injector: Injector
  readonly sink: ProbeSink
  /** Whether probes whose fate is unknown are sent again. */
  readonly resend: boolean
  /** The run clock, microseconds. */
  readonly nowUs: () => number
  readonly makeAlarm: (ring: () => void) => Alarm
}

interface Resend {
  readonly stream: number
  readonly sequence: number
}

export class PublishLoop {
  readonly #options: PublishLoopOptions
  readonly #alarm: Alarm
  readonly #obstacles = new ObstacleHistory()
  /** By index: a stream and its place in every round of turns. */
  readonly #places: ReadonlyMap<number, number>
  /** One slot per turn: the streams' own slots, cut into as many as there are streams. */
  readonly #pacer: PacerOptions
  #startUs = 0
  /** Turns used up, sent or left out; turn t is probe ⌊t ÷ streams⌋ of stream t modulo streams. */
  #turns = 0
  /** In the order in which their fate was lost. */
  readonly #resends = new Set<Resend>()
  #state: 'idle' | 'sending' | 'aborting' | 'over' = 'idle'
  #scheduledAtEnd: number | undefined
  #resolve: (outcome: PublishOutcome) => void = () => undefined

  constructor(options: PublishLoopOptions) {
    this.#options = options
    this.#alarm = options.makeAlarm(() => this.#pass())
    this.#places = new Map(options.streams.map(({ index }, place) => [index, place]))
    this.#pacer = turnsOf(options.pacer, options.streams.length)
  }

  /** Starts now; resolves when every probe is settled or skipped, or sooner for an abort or a loss. Call it once. */
  async run(signal: AbortSignal): Promise<PublishOutcome> {
    if (signal.aborted) return 'aborted'
    const outcome = new Promise<PublishOutcome>((resolve) => {
      this.#resolve = resolve
    })
    const abort = (): void => this.#abort()
    signal.addEventListener('abort', abort, { once: true })
    this.#state = 'sending'
    this.#startUs = this.#options.nowUs()
    this.#pass()
    try {
      return await outcome
    } finally {
      signal.removeEventListener('abort', abort)
    }
  }

  /** Probes that were due so far, or before the end, sent or not. */
  get scheduled(): number {
    if (this.#scheduledAtEnd !== undefined) return this.#scheduledAtEnd
    const { pace, slots } = this.#pacer
    if (this.#state !== 'sending' || pace.kind === 'closed') return this.#turns
    const due = Math.floor((this.#options.nowUs() - this.#startUs) / pace.gapUs) + 1
    return Math.max(this.#turns, Math.min(due, slots))
  }

  /** The injector settled one of this loop's probes. */
  settled(stream: number, sequence: number, outcome: InjectionOutcome, confirmUs: number | undefined): void {
    if (this.#state === 'over') return
    this.#options.sink.settled(stream, sequence, outcome, confirmUs)
    if (outcome === 'unknown' && this.#options.resend) this.#resends.add({ stream, sequence })
    this.#endWhenSettled()
  }

  obstacleChanged(): void {
    if (this.#state !== 'sending') return
    const obstacle = this.#options.injector.obstacle()
    this.#obstacles.note(obstacle, this.#options.nowUs())
    if (obstacle === undefined) this.#alarm.set(0)
  }

  /** The injector lost its broker for good. */
  lost(): void {
    this.#end('lost')
  }

  /** Hands over what is due and may go; sets the alarm for the rest. */
  #pass(): void {
    if (this.#state === 'aborting') this.#end('aborted')
    if (this.#state !== 'sending') return
    const { injector, nowUs } = this.#options
    const endUs = nowUs() + PASS_US
    for (let probes = 0; probes < PASS_PROBES; probes += 1) {
      const atUs = nowUs()
      if (atUs > endUs) break
      const obstacle = injector.obstacle()
      this.#obstacles.note(obstacle, atUs)
      // `obstacleChanged` calls again.
      if (obstacle !== undefined) return
      const mayGoOn = this.#resendOne(atUs) || this.#sendNext(atUs)
      if (!mayGoOn) return
    }
    this.#alarm.set(0)
  }

  /** One decision of the pacer; false when there is nothing to do now. */
  #sendNext(nowUs: number): boolean {
    const { streams, sink } = this.#options
    const decision = decidePace(this.#pacer, nowUs - this.#startUs, this.#turns)
    switch (decision.action) {
      case 'wait':
        this.#alarm.set(Math.max(decision.waitUs, SHORTEST_WAIT_US))
        return false
      case 'skip':
        this.#turns += decision.slots
        sink.skipped(decision.slots)
        return true
      case 'finish':
        this.#endWhenSettled()
        return false
      case 'send': {
        const stream = streams[this.#turns % streams.length]!
        const sequence = (stream.firstSequence ?? 0) + Math.floor(this.#turns / streams.length)
        this.#turns += 1
        this.#send(stream, sequence, decision.slotUs === undefined ? undefined : this.#startUs + decision.slotUs, nowUs)
        return true
      }
    }
  }

  /** `slotUs` undefined: pacing is closed, and a probe is intended when it is sent. */
  #send(stream: PacedStream, sequence: number, slotUs: number | undefined, nowUs: number): void {
    const { sink } = this.#options
    if (slotUs !== undefined) sink.paced(nowUs - slotUs, () => this.#obstacles.causeOf(slotUs, nowUs))
    this.#obstacles.forgetBefore(slotUs ?? nowUs)

    sink.published(stream.index, sequence, nowUs)
    this.#inject(stream, sequence, slotUs ?? nowUs, nowUs)
  }

  /** A probe whose fate is unknown goes again: same sequence and slot, new time of sending. False when there is none. */
  #resendOne(nowUs: number): boolean {
    const [next] = this.#resends
    if (next === undefined) return false
    this.#resends.delete(next)
    const { stream, sequence } = next
    const { streams, sink } = this.#options
    const place = this.#places.get(stream)!
    const { pace } = this.#pacer
    const intendedUs = pace.kind === 'closed' ? nowUs : this.#startUs + (sequence * streams.length + place) * pace.gapUs
    sink.resent(stream, sequence, nowUs)
    this.#inject(streams[place]!, sequence, intendedUs, nowUs)
    return true
  }

  #inject({ index, routingKey }: PacedStream, sequence: number, intendedUs: number, sentUs: number): void {
    const { injector, template, runId } = this.#options
    const body = template.render({ run: runId, stream: index, sequence, intendedUs, sentUs })
    injector.inject({ stream: index, sequence, routingKey, body })
  }

  #endWhenSettled(): void {
    if (this.#options.sink.outstanding > 0) return
    if (this.#state === 'aborting') this.#end('aborted')
    else if (this.#state === 'sending' && this.#turns >= this.#pacer.slots && this.#resends.size === 0) this.#end('finished')
  }

  #abort(): void {
    if (this.#state !== 'sending') return
    this.#skipWhatWasDue()
    this.#state = 'aborting'
    this.#alarm.set(ABORT_GRACE_US)
    this.#endWhenSettled()
  }

  #end(outcome: PublishOutcome): void {
    if (this.#state === 'over' || this.#state === 'idle') return
    if (this.#state === 'sending') this.#skipWhatWasDue()
    this.#state = 'over'
    this.#alarm.cancel()
    this.#resolve(outcome)
  }

  #skipWhatWasDue(): void {
    this.#scheduledAtEnd = this.scheduled
    this.#options.sink.skipped(this.#scheduledAtEnd - this.#turns)
  }
}

const turnsOf = ({ pace, catchUp, slots }: PacerOptions, streams: number): PacerOptions => ({
  pace: pace.kind === 'open' ? { kind: 'open', gapUs: pace.gapUs / streams } : pace,
  catchUp,
  slots: slots * streams,
})
