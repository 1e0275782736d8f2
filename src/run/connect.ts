/**
 * Connect and ready: dials the roster and waits until each client is ready, failed, or out of time. Two pure deciders say
 * when a phase ends; shortfall is a figure, not an error, unless nobody is left to measure.
 */
import { connectDeadlineMs } from '../config/plan.ts'
import { type Settings, settingsTable } from '../config/settings.ts'
import { type CountedCode, FanfareError } from '../errors.ts'
import type { Snapshot } from '../measure/snapshot.ts'
import { usToMs } from '../units.ts'
import type { Story } from './story.ts'
import { waitFor } from './wait.ts'

/** Time the ready phase gets beyond READY_TIMEOUT_MS, so that every client's own timer has fired first. */
const READY_GRACE_MS = 1_000

export type PhaseDecision = 'wait' | 'done' | 'deadline' | FanfareError

export async function connectClients(story: Story): Promise<void> {
  const { crowd, plan, nowUs } = story.parts
  story.enter('connect')
  const startedUs = nowUs()
  crowd.connect()
  const decision = await waitFor(story, async () => {
    const decided = decideConnect(await crowd.refresh(), plan.settings, usToMs(nowUs() - startedUs))
    return decided === 'wait' ? undefined : decided
  })
  if (decision instanceof FanfareError) throw decision
  if (decision === 'deadline') {
    crowd.stopConnecting()
    const { opened, wanted } = crowd.snapshot().clients
    story.warn('connect-deadline', `The connect phase ended at its deadline with ${opened} of ${wanted} clients open.`)
  }
}

export async function everyoneReady(story: Story): Promise<void> {
  const { crowd, plan, nowUs } = story.parts
  story.enter('ready')
  const startedUs = nowUs()
  const decision = await waitFor(story, async () => {
    const decided = decideReady(await crowd.refresh(), plan.settings, usToMs(nowUs() - startedUs))
    return decided === 'wait' ? undefined : decided
  })
  if (decision instanceof FanfareError) throw decision
  story.usedAtReady = story.usage()
}

/** Ends the connect phase when every dial has an outcome, at the deadline, or when the first dials all failed. */
export function decideConnect(snapshot: Snapshot, settings: Settings, elapsedMs: number): PhaseDecision {
  const { wanted, opened, failed, unopened } = snapshot.clients
  const firstAttempts = Math.min(settings.connectConcurrency, wanted)
  if (opened === 0 && failed >= firstAttempts) {
    return new FanfareError(
      'connect-failed',
      `The first ${failed} clients could not connect to ${shownTargets(settings)}: ${causes(snapshot)}.`,
    )
  }
  if (opened + unopened >= wanted) return 'done'
  if (elapsedMs < connectDeadlineMs(settings, wanted)) return 'wait'
  if (opened > 0) return 'deadline'
  return new FanfareError(
    'connect-failed',
    `No client could connect to ${shownTargets(settings)} within ${elapsedMs.toFixed(0)} ms: ${causes(snapshot)}.`,
  )
}

/** Ends the ready phase when every open client is ready or failed; too few ready ones end the run. */
export function decideReady(snapshot: Snapshot, settings: Settings, elapsedMs: number): PhaseDecision {
  const { wanted, ready, failed } = snapshot.clients
  const isSettled = ready + failed >= wanted
  if (!isSettled && elapsedMs < settings.readyTimeoutMs + READY_GRACE_MS) return 'wait'
  if (ready >= settings.readyQuorum) return isSettled ? 'done' : 'deadline'
  return new FanfareError(
    'ready-failed',
    `Expected at least ${settings.readyQuorum} ready clients (READY_QUORUM), got ${ready} of ${wanted}: ${causes(snapshot)}.`,
  )
}

/** Addresses may hold passwords and tokens. */
const shownTargets = ({ wsAddr }: Settings): string => settingsTable.wsAddr.kind.redact(wsAddr)

/** "refused 190 (nobody listens), handshake-timeout 10": the failures by code, most frequent first, with what one of them said. */
function causes(snapshot: Snapshot): string {
  const counts = Object.entries(snapshot.errorsByCode).sort(([, a], [, b]) => b - a)
  if (counts.length === 0) return 'no attempt has ended yet'
  return counts
    .map(([code, count]) => {
      const text = snapshot.errorTexts[code as CountedCode]
      return text === undefined ? `${code} ${count}` : `${code} ${count} (${text})`
    })
    .join(', ')
}
