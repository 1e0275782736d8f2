/**
 * The loader: flags, environment and .env file become settings, or one error that lists everything that is wrong with
 * them. A value that makes no sense is never replaced by a default. It reads no environment and parses no argv itself.
 */
import { FanfareError } from '../errors.ts'
import type { Facts, ForeignRules } from './cross-check.ts'
import { counterparts, crossChecks } from './cross-checks.ts'
import { nearestName } from './near-miss.ts'
import { type Setting, type SettingName, type Settings, type Source, settingsTable } from './settings.ts'
import { unusedSettings } from './unused.ts'

export interface SettingsInput {
  /** Texts by flag as it was written, `--msg-count`; unknown flags too, so that they are refused with everything else. */
  readonly flags?: Readonly<Record<string, string>>
  /** Words on the command line that belong to no flag; refused. */
  readonly strayWords?: readonly string[]
  readonly env?: Readonly<Record<string, string | undefined>>
  /** What the .env file holds; the environment wins over it. */
  readonly dotenv?: Readonly<Record<string, string>>
  /** What a command asks for when nobody says otherwise; wins over the table's defaults only. */
  readonly demoDefaults?: Partial<Settings>
  /** Settings the command decides by itself (the demo's addresses); giving them is warned about. */
  readonly decidedByCommand?: readonly SettingName[]
  readonly rules?: ForeignRules
  /** The command works with replicas. Default false. */
  readonly isReplicated?: boolean
}

export interface LoadedSettings {
  readonly settings: Settings
  readonly sources: Readonly<Record<SettingName, Source>>
  readonly warnings: readonly { readonly code: string; readonly text: string }[]
}

/** One setting as it was found: its value, or a complaint about its text. */
type Found = { readonly source: Source } & ({ readonly value: unknown } | { readonly complaint: string })

const settingNames = Object.keys(settingsTable) as SettingName[]
const flags = settingNames.map((name) => settingsTable[name].flag)
const variables = settingNames.map((name) => settingsTable[name].env)
/** Longer values are cut in complaints; templates may be a megabyte. */
const MAX_SHOWN_CHARACTERS = 200

/**
 * Flag wins over environment, environment over .env file, that over the defaults. An empty text counts as not set.
 * Throws FanfareError `settings-invalid`; its message lists all problems, secrets hidden.
 */
export function loadSettings(input: SettingsInput): LoadedSettings {
  const found = Object.fromEntries(settingNames.map((name) => [name, find(name, input)])) as Record<SettingName, Found>
  const problems = [
    ...unknownFlags(input.flags ?? {}),
    ...(input.strayWords ?? []).map((word) => `Expected flags only, got \`${shorten(word)}\``),
    ...settingNames.flatMap((name) => ('complaint' in found[name] ? [found[name].complaint] : [])),
    ...brokenCrossChecks(found, input),
  ]
  if (problems.length > 0) throw new FanfareError('settings-invalid', problemList(problems))

  const settings = valuesOf(found)
  const { decidedByCommand = [], isReplicated = false } = input
  const given = settingNames.filter((name) => isGiven(found[name]))
  return {
    settings,
    sources: Object.fromEntries(settingNames.map((name) => [name, found[name].source])) as Record<SettingName, Source>,
    warnings: [
      ...nearMisses(input).map((text) => ({ code: 'unknown-variable', text })),
      ...unusedSettings({ settings, given, decidedByCommand, isReplicated }).map((text) => ({ code: 'unused-setting', text })),
    ],
  }
}

function find(name: SettingName, input: SettingsInput): Found {
  const setting = settingsTable[name] as Setting<unknown>
  const given = firstGiven(setting, input)
  if (given === undefined) return defaultOf(name, input)
  const value = setting.kind.parse(given.text)
  if (value !== undefined) return { source: given.source, value }
  const shown = shorten(setting.kind.redactText(given.text))
  return {
    source: given.source,
    complaint: `Expected \`${setting.env}\` to be ${setting.kind.rule}, got \`${shown}\` (${originOf(given.source, setting)})`,
  }
}

function firstGiven({ flag, env }: Setting<unknown>, input: SettingsInput): { source: Source; text: string } | undefined {
  const candidates = [
    { source: 'flag' as const, text: input.flags?.[flag] },
    { source: 'environment' as const, text: input.env?.[env] },
    { source: '.env file' as const, text: input.dotenv?.[env] },
  ]
  return candidates.find((candidate): candidate is { source: (typeof candidate)['source']; text: string } => Boolean(candidate.text))
}

/** A demo default gives way when its counterpart was asked for: RATE without MSG_DELAY is no contradiction. */
function defaultOf(name: SettingName, input: SettingsInput): Found {
  const counterpart = counterparts.find(([, second]) => second === name)?.[0]
  const isOverruled = counterpart !== undefined && firstGiven(settingsTable[counterpart] as Setting<unknown>, input) !== undefined
  const demoDefault = isOverruled ? undefined : input.demoDefaults?.[name]
  if (demoDefault !== undefined) return { source: 'demo default', value: demoDefault }
  return { source: 'default', value: settingsTable[name].default }
}

/** Wrong values stand as undefined here, and no rule about them is asked. */
function brokenCrossChecks(found: Record<SettingName, Found>, input: SettingsInput): string[] {
  const facts: Facts = {
    settings: valuesOf(found),
    isGiven: (name) => isGiven(found[name]),
    origin: (name) => originOf(found[name].source, settingsTable[name]),
    rules: input.rules ?? {},
    isReplicated: input.isReplicated ?? false,
  }
  return crossChecks.filter(({ about }) => about.every((name) => 'value' in found[name])).flatMap((check) => check.problem(facts) ?? [])
}

const valuesOf = (found: Record<SettingName, Found>): Settings =>
  Object.fromEntries(settingNames.map((name) => [name, 'value' in found[name] ? found[name].value : undefined])) as unknown as Settings

const isGiven = ({ source }: Found): boolean => source !== 'default' && source !== 'demo default'

function originOf(source: Source, { flag }: Pick<Setting<unknown>, 'flag'>): string {
  if (source === 'flag') return `from the flag ${flag}`
  return source === 'default' || source === 'demo default' ? `the ${source}` : `from the ${source}`
}

const unknownFlags = (given: Readonly<Record<string, string>>): string[] =>
  Object.keys(given)
    .filter((flag) => !flags.includes(flag))
    .map((flag) => `Expected a flag that exists, got \`${flag}\`${suggestion(nearestName(flag, flags))}`)

const suggestion = (name: string | undefined): string => (name === undefined ? '' : `; did you mean \`${name}\`?`)

/** Variables that are no settings but look as if they were meant to be; the value is never shown. */
function nearMisses({ env = {}, dotenv = {} }: SettingsInput): string[] {
  const names = [
    ...Object.keys(env).map((name) => [name, 'environment']),
    ...Object.keys(dotenv).map((name) => [name, '.env file']),
  ] as const
  return names.flatMap(([name, place]) => {
    const nearest = nearestName(name!, variables)
    return nearest === undefined ? [] : [`${name} (in the ${place}) is not a setting and does nothing; did you mean ${nearest}?`]
  })
}

const problemList = (problems: readonly string[]): string =>
  problems.length === 1
    ? problems[0]!
    : `${problems.length} settings make no sense:\n${problems.map((problem) => `  - ${problem.replaceAll('\n', '\n    ')}`).join('\n')}`

/** One line of bounded length, whatever the value holds. */
function shorten(value: string): string {
  const line = value.replace(/\p{Cc}/gu, (character) => JSON.stringify(character).slice(1, -1))
  return line.length <= MAX_SHOWN_CHARACTERS ? line : `${line.slice(0, MAX_SHOWN_CHARACTERS)}… (${value.length} characters)`
}
