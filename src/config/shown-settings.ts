/**
 * Settings as people may see them: by the name they are asked for with, secrets hidden. What help, reports and `doctor`
 * print is made here, so that no other place needs to know which settings are secret.
 */
import { type Setting, type SettingName, type Settings, settingsTable } from './settings.ts'

/** Every setting that has a value, by environment name, as redacted text. */
export const shownSettings = (settings: Settings): Readonly<Record<string, string>> =>
  Object.fromEntries(
    (Object.keys(settingsTable) as SettingName[])
      .filter((name) => settings[name] !== undefined)
      .map((name) => [settingsTable[name].env, (settingsTable[name] as Setting<unknown>).kind.redact(settings[name])]),
  )

/** The default as help and the README print it: computed ones in words, empty when there is none. */
export function shownDefault(setting: Setting<unknown>): string {
  if (setting.defaultText !== undefined) return setting.defaultText
  return setting.default === undefined ? '' : setting.kind.format(setting.default)
}
