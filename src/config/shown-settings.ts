/**
 * Settings as people may see them: by the name they are asked for with, secrets hidden. What help, reports and `doctor`
 * print is made here, so that no other place needs to know which settings are secret.
 */
import { type Setting, type SettingName, type Settings, settingsTable } from './settings.ts'

export type ShownSettings = Readonly<Record<string, string | number | boolean | null>>

/** Every setting by environment name; numbers and switches as they are, everything else as redacted text, null when not set. */
export const shownSettings = (settings: Settings): ShownSettings =>
  Object.fromEntries(
    (Object.keys(settingsTable) as SettingName[]).map((name) => [settingsTable[name].env, shownValue(name, settings[name])]),
  )

/** The default as help and the README print it: computed ones in words, empty when there is none. */
export function shownDefault(setting: Setting<unknown>): string {
  if (setting.defaultText !== undefined) return setting.defaultText
  return setting.default === undefined ? '' : setting.kind.format(setting.default)
}

function shownValue(name: SettingName, value: unknown): string | number | boolean | null {
  if (value === undefined) return null
  if (typeof value === 'number' || typeof value === 'boolean') return value
  return (settingsTable[name] as Setting<unknown>).kind.redact(value)
}
