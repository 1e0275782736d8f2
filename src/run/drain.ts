/**
 * The drain: after the last publish the run waits until every owed delivery is booked, or until waiting has no point any
 * more. `decideDrain` is pure; its rule is docs/design.md §7. No run ends by waiting for a particular message.
 */
import type { Settings } from '../config/settings.ts'
import type { PublisherLog } from '../measure/publisher-log.ts'
import type { Snapshot } from '../measure/snapshot.ts'
import { US_PER_SECOND, usToMs } from '../units.ts'
import { observedLog } from './observed-log.ts'
import type { StopReason } from './result.ts'
import type { Story } from './story.ts'
import { waitFor } from './wait.ts'

/** How many times the largest latency or silence seen must pass without a delivery before silence means the end. */
const QUIET_FACTOR = 2
/** How often what is owed is counted anew (a late confirm, a client that went away): it looks at every client. */
const EXPECT_EVERY_US = US_PER_SECOND

export interface DrainFacts {
  readonly expected: number
  readonly delivered: number
  readonly missed: number
  readonly unaccounted: number
  readonly connected: number
  /** The books can say when everything is there (not so with INJECTOR=none and no MSG_COUNT). */
  readonly isTotalKnown: boolean
  readonly sinceLastDeliveryMs: number
  readonly largestLatencyMs: number
  readonly longestSilenceMs: number
  readonly elapsedMs: number
}

export async function drain(story: Story): Promise<void> {
  const { crowd, plan, nowUs } = story.parts
  story.enter('drain')
  const startedUs = nowUs()
  let expectedUs = Number.NEGATIVE_INFINITY
  story.stopReason = await waitFor(story, async () => {
    const isDue = nowUs() - expectedUs >= EXPECT_EVERY_US
    if (isDue) expectedUs = nowUs()
    const snapshot = isDue ? await crowd.expect(currentLog(story)) : await crowd.refresh()
    return decideDrain(factsFrom(snapshot, { startedUs, nowUs: nowUs(), isTotalKnown: isTotalKnown(story) }), plan.settings)
  })
}

/** Why the drain ends now, or undefined to go on. */
export function decideDrain(facts: DrainFacts, settings: Settings): StopReason | undefined {
  if (facts.isTotalKnown && isEverythingBooked(facts)) return 'complete'
  if (facts.connected === 0 && !settings.reconnect) return 'target-lost'
  if (facts.elapsedMs >= settings.drainTimeoutMs) return 'deadline'
  const quietMs = Math.max(settings.quietMs, QUIET_FACTOR * Math.max(facts.largestLatencyMs, facts.longestSilenceMs))
  if (facts.sinceLastDeliveryMs >= quietMs) return 'quiet'
  return undefined
}

/** Nobody need wait for more; what is not there by the end of the drain is lost. */
export const isEverythingBooked = (books: Pick<DrainFacts, 'expected' | 'delivered' | 'missed' | 'unaccounted'>): boolean =>
  books.delivered + books.missed + books.unaccounted >= books.expected

/** What is owed as far as it is known now: the publisher's log, or what was heard when another program publishes. */
export function currentLog(story: Story): PublisherLog {
  const { publisher, crowd, plan } = story.parts
  return publisher?.log ?? observedLog(crowd.snapshot(), plan.publish.countPerStream)
}

const isTotalKnown = (story: Story): boolean => story.parts.publisher !== undefined || story.parts.plan.publish.countPerStream !== undefined

function factsFrom(snapshot: Snapshot, at: { startedUs: number; nowUs: number; isTotalKnown: boolean }): DrainFacts {
  const lastUs = Math.max(snapshot.lastDeliveryUs ?? 0, at.startedUs)
  return {
    expected: snapshot.measured.expected,
    delivered: snapshot.measured.delivered,
    missed: snapshot.measured.missed,
    unaccounted: snapshot.measured.unaccounted,
    connected: snapshot.clients.connected,
    isTotalKnown: at.isTotalKnown,
    sinceLastDeliveryMs: usToMs(at.nowUs - lastUs),
    largestLatencyMs: usToMs(snapshot.latencyUs.max ?? 0),
    longestSilenceMs: usToMs(snapshot.longestSilenceUs),
    elapsedMs: usToMs(at.nowUs - at.startedUs),
  }
}
