/**
 * Publishing, or waiting while another program publishes. The publisher does the work on its own thread; this side only
 * watches whether there is still somebody to publish to.
 */
import type { Settings } from '../config/settings.ts'
import { FanfareError } from '../errors.ts'
import type { Snapshot } from '../measure/snapshot.ts'
import { usToMs } from '../units.ts'
import type { Story } from './story.ts'
import { waitFor, whileDoing } from './wait.ts'

/** How often the crowd is looked at while probes go out. */
const WATCH_EVERY_MS = 500

export async function openBroker(story: Story): Promise<void> {
  const { publisher, stop } = story.parts
  if (publisher === undefined) return
  await publisher.open(stop).catch((error: unknown) => {
    story.throwIfInterrupted()
    throw error
  })
}

export async function warmUp(story: Story): Promise<void> {
  const { publisher, plan, stop } = story.parts
  if (publisher === undefined || plan.settings.warmupCount === 0) return
  story.enter('warm-up')
  await publisher.warmUp(stop)
  story.throwIfInterrupted()
}

export async function publish(story: Story): Promise<void> {
  story.enter('publish')
  if (story.parts.publisher === undefined) return firstProbe(story)

  const { publisher, crowd, plan, stop, nowUs } = story.parts
  const gaveUp = new AbortController()
  const watch = async (): Promise<void> => {
    if (isTargetLost(await crowd.refresh(), plan.settings)) gaveUp.abort()
  }
  const outcome = await whileDoing(publisher.publish(AbortSignal.any([stop, gaveUp.signal])), watch, WATCH_EVERY_MS)
  story.publishEndedUs = publisher.snapshot().endedUs ?? nowUs()
  story.throwIfInterrupted()
  if (outcome === 'lost') {
    if (publisher.lostBecause !== undefined) story.warn(publisher.lostBecause.code, publisher.lostBecause.message)
    story.stop('broker-lost')
  }
  if (gaveUp.signal.aborted) story.stop('target-lost')
}

/** INJECTOR=none: the run goes on when the first probe was heard. */
async function firstProbe(story: Story): Promise<void> {
  const { crowd, plan, nowUs } = story.parts
  const { firstProbeTimeoutMs } = plan.settings
  const startedUs = nowUs()
  await waitFor(story, async () => {
    const snapshot = await crowd.refresh()
    if (snapshot.firstDeliveryUs !== undefined) return true
    if (isTargetLost(snapshot, plan.settings)) story.stop('target-lost')
    if (usToMs(nowUs() - startedUs) < firstProbeTimeoutMs) return undefined
    const strangers = snapshot.measured.foreign > 0 ? ` ${snapshot.measured.foreign} probes of other runs were heard.` : ''
    throw new FanfareError(
      'first-probe-timeout',
      `No probe of run \`${plan.runId}\` was heard within ${firstProbeTimeoutMs} ms (FIRST_PROBE_TIMEOUT_MS).${strangers}`,
    )
  })
}

/** Everybody who was ready is gone, and nobody will come back. */
const isTargetLost = (snapshot: Snapshot, settings: Settings): boolean =>
  !settings.reconnect && snapshot.clients.ready > 0 && snapshot.clients.connected === 0
