/**
 * How far the clock of another process is from ours, from exchanges of messages: an interval that surely holds the true offset, as long
 * as the clocks drift no faster than DRIFT_RATIO. It sends nothing itself, and asks nobody what time it is.
 *
 * A message cannot arrive before it was sent, so each exchange gives an upper bound (their receive time − our send time) and a lower one
 * (their send time − our receive time); halfway between them the error is at most half the round trip, however unequal the two ways were.
 */

/** How fast two clocks may drift apart: the slew that NTP allows itself, and far above what oscillators do. */
export const DRIFT_RATIO = 500e-6

/** Exchanges closer together than this are one burst, of which the shortest round trip is kept. */
const FIRST_BURST_US = 500_000

/** Kept exchanges: an hour at one a second. Past it, a burst is twice as long. */
const MAX_KEPT = 4_096

/** One exchange; ours are read by our clock, theirs by the other. Microseconds. */
export interface Exchange {
  readonly sentUs: number
  readonly theirReceivedUs: number
  readonly theirSentUs: number
  readonly receivedUs: number
}

/** Their clock minus ours: `offsetUs` ± `boundUs`. */
export interface OffsetEstimate {
  readonly offsetUs: number
  readonly boundUs: number
}

/** What an exchange says: at `fromUs` the offset was at most `highestUs`, at `untilUs` at least `lowestUs`. */
interface Sample {
  readonly fromUs: number
  readonly untilUs: number
  readonly lowestUs: number
  readonly highestUs: number
}

interface Interval {
  readonly lowestUs: number
  readonly highestUs: number
}

/** The interval of one exchange, as it would be without any drift; undefined when its times contradict each other. */
export function offsetInterval(exchange: Exchange): Interval | undefined {
  const sample = sampleOf(exchange)
  return sample && { lowestUs: sample.lowestUs, highestUs: sample.highestUs }
}

export class OffsetEstimator {
  readonly #readBoundUs: number
  /** Samples in the order of time. Between two segments the offset was stepped: a clock was set, or a machine stood still. */
  readonly #segments: Sample[][] = []
  #burstUs = FIRST_BURST_US

  /** @param readBoundUs what reading both clocks adds to every bound; more than 0 */
  constructor(readBoundUs: number) {
    this.#readBoundUs = readBoundUs
  }

  /** Steps of the offset that no drift explains. */
  get steps(): number {
    return Math.max(0, this.#segments.length - 1)
  }

  /** Takes one exchange into account. Those whose times contradict each other are left out. Call it in the order of time. */
  add(exchange: Exchange): void {
    const sample = sampleOf(exchange)
    if (sample === undefined) return
    const segment = this.#segments.at(-1)
    if (segment === undefined || !this.#continues(segment, sample)) {
      this.#segments.push([sample])
      return
    }
    keep(segment, sample, this.#burstUs)
    while (segment.length > MAX_KEPT) {
      this.#burstUs *= 2
      for (const kept of segment.splice(0)) keep(segment, kept, this.#burstUs)
    }
  }

  /** The offset at a moment of our clock, from all exchanges before and after it; undefined before the first exchange. */
  at(ourUs: number): OffsetEstimate | undefined {
    const interval = this.#intervalAt(ourUs)
    if (interval === undefined) return undefined
    return {
      offsetUs: (interval.lowestUs + interval.highestUs) / 2,
      boundUs: (interval.highestUs - interval.lowestUs) / 2 + this.#readBoundUs,
    }
  }

  /** Inside a segment its own interval; between two, where the step may have been at any moment, whatever either allows. */
  #intervalAt(ourUs: number): Interval | undefined {
    const next = this.#segments.findIndex((segment) => segment.at(-1)!.untilUs >= ourUs)
    const later = next < 0 ? undefined : this.#segments[next]!
    if (later !== undefined && later[0]!.fromUs <= ourUs) return intersection(later, ourUs)
    const earlier = next < 0 ? this.#segments.at(-1) : this.#segments[next - 1]
    return hull(earlier && intersection(earlier, ourUs), later && intersection(later, ourUs))
  }

  #continues(segment: readonly Sample[], sample: Sample): boolean {
    const known = intersection(segment, sample.untilUs)
    const { lowestUs, highestUs } = widened(sample, sample.untilUs)
    // Reading a clock is not exact either.
    return (
      highestUs + this.#readBoundUs >= known.lowestUs - this.#readBoundUs &&
      lowestUs - this.#readBoundUs <= known.highestUs + this.#readBoundUs
    )
  }
}

function sampleOf({ sentUs, theirReceivedUs, theirSentUs, receivedUs }: Exchange): Sample | undefined {
  const sample = { fromUs: sentUs, untilUs: receivedUs, lowestUs: theirSentUs - receivedUs, highestUs: theirReceivedUs - sentUs }
  const isPossible = receivedUs >= sentUs && theirSentUs >= theirReceivedUs && sample.highestUs >= sample.lowestUs
  return isPossible ? sample : undefined
}

/** The round trip, without the time the other side took to answer. */
const width = ({ lowestUs, highestUs }: Interval): number => highestUs - lowestUs

/** What a sample says about another moment: both ends may have drifted since they were true. */
function widened(sample: Sample, ourUs: number): Interval {
  return {
    lowestUs: sample.lowestUs - Math.abs(ourUs - sample.untilUs) * DRIFT_RATIO,
    highestUs: sample.highestUs + Math.abs(ourUs - sample.fromUs) * DRIFT_RATIO,
  }
}

/** What all samples of a segment together allow at a moment. */
function intersection(segment: readonly Sample[], ourUs: number): Interval {
  let lowestUs = Number.NEGATIVE_INFINITY
  let highestUs = Number.POSITIVE_INFINITY
  for (const sample of segment) {
    const interval = widened(sample, ourUs)
    lowestUs = Math.max(lowestUs, interval.lowestUs)
    highestUs = Math.min(highestUs, interval.highestUs)
  }
  // Samples that only just continue each other may miss by the reading of the clocks.
  return { lowestUs: Math.min(lowestUs, highestUs), highestUs: Math.max(lowestUs, highestUs) }
}

function hull(a: Interval | undefined, b: Interval | undefined): Interval | undefined {
  if (a === undefined || b === undefined) return a ?? b
  return { lowestUs: Math.min(a.lowestUs, b.lowestUs), highestUs: Math.max(a.highestUs, b.highestUs) }
}

/** Appends a sample, or lets it take the place of the last one when both are of one burst and it knows more. */
function keep(segment: Sample[], sample: Sample, burstUs: number): void {
  const last = segment.at(-1)
  // Bursts have fixed places in time, so that they can be made longer without looking at what was left out.
  const isSameBurst = last !== undefined && Math.floor(sample.fromUs / burstUs) === Math.floor(last.fromUs / burstUs)
  if (!isSameBurst) segment.push(sample)
  else if (width(sample) < width(last)) segment[segment.length - 1] = sample
}
