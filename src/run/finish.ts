/**
 * The end of every run, however it ended: settle the books, close the parts, hand back one result. It does not judge how it ended.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { assert } from '../errors.ts'
import type { Snapshot } from '../measure/snapshot.ts'
import { MS_PER_SECOND, usToMs } from '../units.ts'
import { currentLog, isEverythingBooked } from './drain.ts'
import type { RunResult } from './result.ts'
import type { Story } from './story.ts'

/** What an interrupted run still waits for deliveries that are on their way. */
const INTERRUPT_GRACE_MS = MS_PER_SECOND
const ASK_EVERY_MS = 50
/** With fewer clients the growth of memory is that of the threads, not of the clients. */
const MIN_CLIENTS_FOR_BYTES = 1_000

export async function finish(story: Story): Promise<RunResult> {
  const { crowd, publisher, plan, nowUs } = story.parts
  assert(story.stopReason !== undefined, 'the run ended without a reason')
  if (story.interruption !== undefined) await letArrive(story)
  story.drainEndedUs = nowUs()
  story.usedAtDrainEnd = story.usage()
  const hasBooks = story.phase === 'publish' || story.phase === 'drain'
  const log = currentLog(story)
  if (hasBooks) await crowd.settle(log, story.drainEndedUs)

  story.enter('close')
  const receivers = await crowd.close()
  await publisher?.close()
  story.enter('done')
  return {
    plan,
    stopReason: story.stopReason,
    failure: story.failure,
    signal: story.interruption?.signal,
    startedUs: story.startedUs,
    endedUs: nowUs(),
    publishEndedUs: story.publishEndedUs ?? lastHeardUs(story, receivers),
    drainEndedUs: hasBooks ? story.drainEndedUs : undefined,
    receivers,
    publisher: publisher?.snapshot(),
    log,
    replicas: story.parts.replicas?.() ?? [],
    epochBoundUs: story.parts.wallTime?.epochBoundUs,
    mainThread: story.parts.mainThread(),
    cpuSeconds: story.usedAtReady && story.usedAtDrainEnd.cpuSeconds - story.usedAtReady.cpuSeconds,
    rssBytes: story.usage().rssBytes,
    bytesPerClient: bytesPerClient(story, receivers.clients.ready),
    died: crowd.died,
    warnings: [...story.warnings, ...(story.parts.wallTime?.warnings ?? [])],
  }
}

/** Waits a moment until what was published has arrived, so that an interruption does not make losses. */
async function letArrive(story: Story): Promise<void> {
  const { crowd, nowUs } = story.parts
  if (story.phase !== 'publish' && story.phase !== 'drain') return
  const startedUs = nowUs()
  while (usToMs(nowUs() - startedUs) < INTERRUPT_GRACE_MS) {
    const { measured } = await crowd.expect(currentLog(story))
    if (isEverythingBooked(measured)) return
    await sleep(ASK_EVERY_MS)
  }
}

/** When another program publishes, the last publish is not known; the last delivery bounds it. */
const lastHeardUs = (story: Story, receivers: Snapshot): number | undefined =>
  story.parts.publisher === undefined ? receivers.lastDeliveryUs : undefined

function bytesPerClient(story: Story, readyClients: number): number | undefined {
  if (story.usedAtReady === undefined || readyClients < MIN_CLIENTS_FOR_BYTES) return undefined
  return Math.max(0, story.usedAtReady.rssBytes - story.usedAtStart.rssBytes) / readyClients
}
