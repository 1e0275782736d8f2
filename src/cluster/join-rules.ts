/** Who may join, and when joining is over. Pure: a table of facts in, a decision out. */
import type { Settings } from '../config/settings.ts'
import { FanfareError } from '../errors.ts'
import { CONTROL_VERSION } from './wire/messages.ts'

export interface JoinFacts {
  /** Names of those who have joined. */
  readonly joined: readonly string[]
  readonly sinceLastJoinMs: number
  readonly elapsedMs: number
}

type JoinSettings = Pick<Settings, 'replicas' | 'joinSettleMs' | 'joinTimeoutMs'>

/** `go` with REPLICAS replicas, or, without that setting, when nobody has joined for JOIN_SETTLE_MS. */
export function decideJoin({ joined, sinceLastJoinMs, elapsedMs }: JoinFacts, settings: JoinSettings): 'wait' | 'go' | FanfareError {
  const { replicas, joinSettleMs, joinTimeoutMs } = settings
  const isComplete = replicas === undefined ? joined.length > 0 && sinceLastJoinMs >= joinSettleMs : joined.length >= replicas
  if (isComplete) return 'go'
  if (elapsedMs < joinTimeoutMs) return 'wait'
  if (replicas === undefined && joined.length > 0) return 'go'
  const whoJoined = joined.length === 0 ? 'none' : `${joined.length} (${joined.join(', ')})`
  return new FanfareError(
    'join-timeout',
    `Expected ${replicas === undefined ? 'a replica' : `${replicas} replicas (REPLICAS)`} to join within ${joinTimeoutMs} ms (JOIN_TIMEOUT_MS), got ${whoJoined}.`,
  )
}

export interface Applicant {
  readonly version: string
}

/** How far the run is, as far as joining goes. */
export type JoinStage = 'joining' | 'dialing' | 'begun'

/** Why a replica is refused, as a sentence it can show; undefined when it may join. */
export function refusalOf(
  applicant: Applicant,
  { version, stage, members, settings }: { version: string; stage: JoinStage; members: number; settings: Pick<Settings, 'replicas'> },
): string | undefined {
  if (applicant.version !== version) {
    return `The coordinator is fanfare ${version}, this replica ${applicant.version}: run both from one version.`
  }
  if (stage !== 'joining') return 'The run has begun without it: start replicas before, or say with REPLICAS how many to wait for.'
  if (settings.replicas !== undefined && members >= settings.replicas) {
    return `The run has the ${settings.replicas} replicas it was told to wait for (REPLICAS).`
  }
  return undefined
}

/** What is said to a replica whose messages cannot even be read. */
export const otherControlVersion = (theirs: number): string =>
  `The coordinator speaks version ${CONTROL_VERSION} of the control messages, this replica version ${theirs}: run both from one version of fanfare.`
