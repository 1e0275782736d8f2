/**
 * What a rule about settings is: it names the settings it is about, so that the loader leaves it out when one of them is
 * already wrong, and answers with a complaint or nothing. The rules themselves are in `cross-checks.ts` and `tls-files.ts`.
 */
import { describeError } from '../errors.ts'
import { type SettingName, type Settings, settingsTable } from './settings.ts'

export interface CrossCheck {
  readonly about: readonly SettingName[]
  /** A sentence without a full stop, or undefined when all is well. */
  problem(facts: Facts): string | undefined
}

/** What other parts know about values that are theirs; handed in, because settings import none of them. */
export interface ForeignRules {
  /** Throws with a sentence when the text is no list of checks. */
  readonly thresholds?: (text: string) => unknown
  /** Answers `{ problem }` with a sentence when no body can be made. */
  readonly body?: (asked: { template: string | undefined; sizeBytes: number | undefined; lastSequence: number }) => object
  /** Throws with a sentence when the address cannot be used, `?heartbeat=x` for example. */
  readonly brokerAddress?: (url: string) => unknown
  /** Throws with a sentence when the dialect cannot work with its settings. */
  readonly dialect?: (settings: Settings) => unknown
}

export interface Facts {
  readonly settings: Settings
  /** Somebody asked for it: it comes from a flag, the environment or the .env file. */
  isGiven(name: SettingName): boolean
  /** `from the environment` and the like. */
  origin(name: SettingName): string
  readonly rules: ForeignRules
  /** The command works with replicas, so WS_POOL_SIZE is one replica's share. */
  readonly isReplicated: boolean
}

/** A setting as complaints name it. */
export const named = (name: SettingName): string => `\`${settingsTable[name].env}\``

/** The text of what `attempt` throws. */
export function failureOf(attempt: () => unknown): string | undefined {
  try {
    attempt()
    return undefined
  } catch (error) {
    return describeError(error)
  }
}
