/**
 * How the settings table looks on a command line: one flag per row, under its group's heading, with its environment
 * variable and default. It knows commander's Option and nothing of commands.
 */
import { Option } from 'commander'
import { groups, type Setting, type SettingName, type Settings, settingsTable } from '../config/settings.ts'
import { shownDefault } from '../config/shown-settings.ts'

/** Options for all settings, in the order of the groups. `defaults`: where a command's own differ from the table's. */
export const settingOptions = (defaults: Partial<Settings> = {}): Option[] =>
  groups.flatMap((group) =>
    (Object.keys(settingsTable) as SettingName[])
      .map((name) => ({ ...(settingsTable[name] as Setting<unknown>), ...ownDefault(defaults[name]) }))
      .filter((setting) => setting.group === group)
      .map((setting) => optionOf(setting).helpGroup(`${group}:`)),
  )

const ownDefault = (value: unknown): Partial<Setting<unknown>> =>
  value === undefined ? {} : { default: value, defaultText: String(value) }

/** A switch may stand alone: `--canary` is `--canary on`. */
function optionOf(setting: Setting<unknown>): Option {
  const { flag, kind, help } = setting
  const isSwitch = typeof setting.default === 'boolean'
  return new Option(isSwitch ? `${flag} [${kind.placeholder}]` : `${flag} <${kind.placeholder}>`, `${help} ${noteOn(setting)}`)
}

/** `[CONNECT_RATE=2000 clients/s]`: variable, default, and the unit when the flag does not show it. */
function noteOn(setting: Setting<unknown>): string {
  const { unit, placeholder } = setting.kind
  const shownUnit = unit === '' || unit === placeholder ? '' : ` ${unit}`
  const fallback = shownDefault(setting)
  if (fallback === '') return `[${setting.env}${shownUnit && ` in${shownUnit}`}]`
  const isValue = setting.kind.parse(fallback) !== undefined
  return isValue ? `[${setting.env}=${fallback}${shownUnit}]` : `[${setting.env}, else ${fallback}]`
}
