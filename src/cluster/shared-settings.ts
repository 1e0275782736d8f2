/**
 * Which settings are the plan's and which are a replica's own, and how the plan's travel: as the texts that the settings table parses,
 * so that both sides check them by the same rules. A replica's differing values are found by digest; secrets never travel for that.
 */
import { createHash } from 'node:crypto'
import { isDeepStrictEqual } from 'node:util'
import { type Setting, type SettingName, type Settings, settingsTable } from '../config/settings.ts'
import { assert } from '../errors.ts'

/** About the process, its machine or its way to the broker; every replica has its own. */
const ownSettings: readonly SettingName[] = [
  'wsPoolSize',
  'amqpAddr',
  'controlAmqpAddr',
  'runGroup',
  'joinTimeoutMs',
  'threads',
  'sourceAddresses',
  'metricsHost',
  'metricsPort',
  'reportDir',
  'logLevel',
]

/** Only the coordinator does anything with these. */
const coordinatorSettings: readonly SettingName[] = ['runId', 'replicas', 'joinSettleMs', 'targetMetricsUrl', 'rabbitmqApiUrl']

const planSettings = (Object.keys(settingsTable) as SettingName[]).filter(
  (name) => !ownSettings.includes(name) && !coordinatorSettings.includes(name),
)

const rowOf = (name: SettingName): Setting<unknown> => settingsTable[name] as Setting<unknown>

const DIGEST_CHARACTERS = 16

/** The plan's settings as texts by environment variable; those at their default are left out. */
export function planTexts(settings: Settings): Record<string, string> {
  const changed = planSettings.filter((name) => !isDeepStrictEqual(settings[name], rowOf(name).default))
  return Object.fromEntries(changed.map((name) => [rowOf(name).env, rowOf(name).kind.format(settings[name])]))
}

/** The plan's settings with a replica's own. Undefined when a text breaks the rule of its setting, or belongs to none of the plan's. */
export function settingsFromPlan(texts: Readonly<Record<string, string>>, own: Settings): Settings | undefined {
  const settings: Record<SettingName, unknown> = { ...own }
  for (const name of planSettings) {
    const { env, kind, default: byDefault } = rowOf(name)
    const text = texts[env]
    settings[name] = text === undefined ? byDefault : kind.parse(text)
    if (text !== undefined && settings[name] === undefined) return undefined
  }
  const known = planSettings.map((name) => rowOf(name).env)
  return Object.keys(texts).every((env) => known.includes(env)) ? (settings as Settings) : undefined
}

/** What a replica says of the settings it was given and that the plan decides: digests by environment variable. */
export function givenDigests(settings: Settings, given: readonly SettingName[]): Record<string, string> {
  const asked = planSettings.filter((name) => given.includes(name))
  return Object.fromEntries(asked.map((name) => [rowOf(name).env, digestOf(name, settings)]))
}

/** The environment variables whose values at the replica are not the plan's. */
export function differingSettings(digests: Readonly<Record<string, string>>, plan: Settings): string[] {
  return planSettings
    .filter((name) => (digests[rowOf(name).env] ?? digestOf(name, plan)) !== digestOf(name, plan))
    .map((name) => rowOf(name).env)
}

function digestOf(name: SettingName, settings: Settings): string {
  const { kind, env } = rowOf(name)
  const value = settings[name]
  assert(env !== '', 'every setting has a variable')
  const text = value === undefined ? '' : kind.format(value)
  return createHash('sha256').update(`${env}=${text}`).digest('hex').slice(0, DIGEST_CHARACTERS)
}
