/**
 * The canary: one probe through the whole path before anything is measured. Each way it can fail has a name of its own,
 * since each is mended somewhere else: broker, exchange, target's queue, target.
 */
import { FanfareError } from '../errors.ts'
import { usToMs } from '../units.ts'
import type { CanaryOutcome } from './publisher.ts'
import type { Story } from './story.ts'
import { waitFor } from './wait.ts'

export async function hearCanary(story: Story): Promise<void> {
  const { publisher, plan } = story.parts
  if (publisher === undefined || !plan.settings.canary) return
  story.enter('canary')
  const startedUs = story.parts.nowUs()
  await sendCanary(story, startedUs)
  await hear(story, startedUs)
}

/** A returned canary is sent again until the time is up: the target may still be binding its queue. */
async function sendCanary(story: Story, startedUs: number): Promise<void> {
  const { publisher, plan, nowUs, stop } = story.parts
  const { canaryTimeoutMs, amqpExchange } = plan.settings
  const routingKey = plan.streams[0]?.routingKey ?? ''
  await waitFor(story, async () => {
    const outcome = await publisher!.canary(stop)
    if (outcome === 'confirmed') return true
    story.throwIfInterrupted()
    if (outcome === 'returned' && usToMs(nowUs() - startedUs) < canaryTimeoutMs) return undefined
    throw canaryFailure(outcome, {
      exchange: amqpExchange,
      routingKey,
      timeoutMs: canaryTimeoutMs,
      isBlocked: publisher!.snapshot().obstacle === 'blocked',
    })
  })
}

async function hear(story: Story, startedUs: number): Promise<void> {
  const { crowd, plan, nowUs } = story.parts
  const { canaryTimeoutMs, readyQuorum, amqpExchange, streamsPerClient } = plan.settings
  const heard = await waitFor(story, async () => {
    const { canary, clients } = await crowd.refresh()
    const figures = { count: canary.delivered, of: clients.connected * streamsPerClient }
    const isOver = usToMs(nowUs() - startedUs) >= canaryTimeoutMs
    return isOver || (figures.count >= figures.of && figures.count > 0) ? figures : undefined
  })
  const who = streamsPerClient === 1 ? 'ready clients' : 'subscriptions of ready clients'
  if (heard.count < Math.max(1, readyQuorum * streamsPerClient)) {
    throw new FanfareError(
      'canary-not-broadcast',
      `The broker routed the canary from exchange \`${amqpExchange}\`, but ${heard.count} of ${heard.of} ${who} heard it within ${canaryTimeoutMs} ms: the target does not broadcast stream \`${plan.streams[0]?.name}\` (does it consume from this broker and exchange, and does the routing key \`${plan.streams[0]?.routingKey}\` mean that stream to it?).`,
    )
  }
  if (heard.count < heard.of) {
    story.warn('canary-partial', `Only ${heard.count} of ${heard.of} ${who} heard the canary within ${canaryTimeoutMs} ms.`)
  }
}

/** The error for a canary that was not confirmed. */
function canaryFailure(
  outcome: Exclude<CanaryOutcome, 'confirmed'>,
  facts: { exchange: string; routingKey: string; timeoutMs: number; isBlocked: boolean },
): FanfareError {
  if (outcome === 'returned') {
    return new FanfareError(
      'canary-unroutable',
      `Exchange \`${facts.exchange}\` has no queue bound for routing key \`${facts.routingKey}\`: the broker returned the canary for ${facts.timeoutMs} ms (is the target connected to this broker?).`,
    )
  }
  const why = facts.isBlocked ? 'the broker blocks publishers (a memory or disk alarm)' : `it ended ${outcome}`
  return new FanfareError('canary-unconfirmed', `Expected the broker to confirm the canary within ${facts.timeoutMs} ms, but ${why}.`)
}
