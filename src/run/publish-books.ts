/**
 * The publisher's books: the state of every measured probe in the log, and the figures about publishing. It is told what happened
 * and when; it decides nothing and knows no broker.
 */
import type { InjectionOutcome } from '../broker/injector.ts'
import { assert } from '../errors.ts'
import { Histogram } from '../measure/histogram.ts'
import { ProbeState, type PublisherLog, type StreamLog } from '../measure/publisher-log.ts'
import { US_PER_SECOND } from '../units.ts'
import type { LatenessCause, PublisherSnapshot } from './publisher.ts'

/** What the publish loop tells about its probes. */
export interface ProbeSink {
  /** Handed to the injector for the first time. */
  published(stream: number, sequence: number, sentUs: number): void
  /** Handed over again after its fate became unknown. */
  resent(stream: number, sequence: number, sentUs: number): void
  settled(stream: number, sequence: number, outcome: InjectionOutcome, confirmUs: number | undefined): void
  /** So many probes that were due will never be published. */
  skipped(probes: number): void
  /** How late a slot was sent; not called with pacing closed. `cause` is asked only when it was late. */
  paced(latenessUs: number, cause: () => LatenessCause): void
  /** Published and not settled. */
  readonly outstanding: number
}

/** Later than this is a late slot and needs a cause: more than a timer's resolution and a short collection explain. */
export const LATE_SLOT_US = 5_000

type Figures = Pick<
  PublisherSnapshot,
  | 'published'
  | 'skipped'
  | 'confirmed'
  | 'returned'
  | 'nacked'
  | 'unknown'
  | 'resent'
  | 'outstanding'
  | 'achievedRatePerSecond'
  | 'startedUs'
  | 'endedUs'
  | 'latenessUs'
  | 'latenessByCause'
  | 'confirmLatencyUs'
  | 'timeline'
>

export class PublishBooks implements ProbeSink {
  readonly #streams: ReadonlyMap<number, StreamLog>
  readonly #counts = { published: 0, skipped: 0, confirmed: 0, returned: 0, nacked: 0, unknown: 0, resent: 0, outstanding: 0 }
  readonly #latenessUs = new Histogram()
  readonly #latenessByCause = noLateness()
  readonly #confirmLatencyUs = new Histogram()
  readonly #timeline = new Map<number, number>()
  #startedUs: number | undefined
  #endedUs: number | undefined

  constructor(log: PublisherLog) {
    this.#streams = new Map(log.streams.map((stream) => [stream.stream, stream]))
  }

  get outstanding(): number {
    return this.#counts.outstanding
  }

  published(stream: number, sequence: number, sentUs: number): void {
    this.#hand(stream, sequence, sentUs, ProbeState.absent)
    this.#counts.published += 1
    const second = Math.floor(sentUs / US_PER_SECOND)
    this.#timeline.set(second, (this.#timeline.get(second) ?? 0) + 1)
  }

  resent(stream: number, sequence: number, sentUs: number): void {
    this.#hand(stream, sequence, sentUs, ProbeState.unknown)
    this.#counts.unknown -= 1
    this.#counts.resent += 1
  }

  settled(stream: number, sequence: number, outcome: InjectionOutcome, confirmUs: number | undefined): void {
    const { states } = this.#log(stream)
    assert(states[sequence] === ProbeState.outstanding, `probe ${stream}/${sequence} was settled in state ${states[sequence]}`)
    states[sequence] = ProbeState[outcome]
    this.#counts.outstanding -= 1
    this.#counts[outcome] += 1
    if (confirmUs !== undefined) this.#confirmLatencyUs.record(confirmUs)
  }

  skipped(probes: number): void {
    this.#counts.skipped += probes
  }

  paced(latenessUs: number, cause: () => LatenessCause): void {
    this.#latenessUs.record(latenessUs)
    if (latenessUs <= LATE_SLOT_US) return
    const late = this.#latenessByCause[cause()]
    late.count += 1
    late.totalUs += latenessUs
    late.maxUs = Math.max(late.maxUs, latenessUs)
  }

  /** Nothing more will be heard: what is still outstanding is unknown. Afterwards the states are final, and they add up. */
  close(): void {
    for (const { stream, count, states } of this.#streams.values()) {
      for (let sequence = 0; this.#counts.outstanding > 0 && sequence < count; sequence += 1) {
        if (states[sequence] === ProbeState.outstanding) this.settled(stream, sequence, 'unknown', undefined)
      }
    }
    const { published, confirmed, returned, nacked, unknown, outstanding } = this.#counts
    assert(outstanding === 0, `${outstanding} probes are outstanding after the end`)
    assert(
      published === confirmed + returned + nacked + unknown,
      `published ${published} is not confirmed ${confirmed} + returned ${returned} + nacked ${nacked} + unknown ${unknown}`,
    )
  }

  figures(): Figures {
    return {
      ...this.#counts,
      achievedRatePerSecond: this.#achievedRatePerSecond(),
      startedUs: this.#startedUs,
      endedUs: this.#endedUs,
      latenessUs: this.#latenessUs.data(),
      latenessByCause: structuredClone(this.#latenessByCause),
      confirmLatencyUs: this.#confirmLatencyUs.data(),
      timeline: [...this.#timeline],
    }
  }

  #hand(stream: number, sequence: number, sentUs: number, expectedState: number): void {
    const log = this.#log(stream)
    assert(log.states[sequence] === expectedState, `probe ${stream}/${sequence} was handed over in state ${log.states[sequence]}`)
    log.sentUs[sequence] = sentUs
    log.states[sequence] = ProbeState.outstanding
    this.#counts.outstanding += 1
    this.#startedUs ??= sentUs
    this.#endedUs = sentUs
  }

  /** n probes of a stream span n − 1 gaps, so the first of each stream only starts the time. */
  #achievedRatePerSecond(): number | undefined {
    const gaps = this.#counts.published - this.#streams.size
    if (gaps <= 0 || this.#startedUs === undefined || this.#endedUs === undefined) return undefined
    const spanUs = this.#endedUs - this.#startedUs
    return spanUs > 0 ? (gaps / spanUs) * US_PER_SECOND : undefined
  }

  #log(stream: number): StreamLog {
    const log = this.#streams.get(stream)
    assert(log !== undefined, `stream ${stream} is not in the publisher's log`)
    return log
  }
}

/** Lateness of no slot. */
export const noLateness = (): PublisherSnapshot['latenessByCause'] => {
  const none = (): { count: number; totalUs: number; maxUs: number } => ({ count: 0, totalUs: 0, maxUs: 0 })
  return { loop: none(), window: none(), drain: none(), blocked: none(), disconnected: none() }
}
