/** The settings table of the README, made from the table in `settings.ts`: one heading and one Markdown table per group. */
import { groups, type Setting, settingsTable } from './settings.ts'
import { shownDefault } from './shown-settings.ts'

/** Markdown between the README's `settings` marks. */
export function settingsTables(): string {
  const rows = Object.values(settingsTable as Record<string, Setting<unknown>>)
  return groups
    .map((group) => {
      const ofGroup = rows.filter((setting) => setting.group === group)
      return [`### ${group}`, '', '| setting | default | means |', '|---|---|---|', ...ofGroup.map(settingLine)].join('\n')
    })
    .join('\n\n')
}

function settingLine(setting: Setting<unknown>): string {
  const { env, kind, help } = setting
  const unit = kind.unit === '' ? '' : ` (${kind.unit})`
  return `| \`${env}\` | ${cell(defaultOf(setting))} | ${cell(help)}${unit} |`
}

/** A value as code, a computed default in words. */
function defaultOf(setting: Setting<unknown>): string {
  const fallback = shownDefault(setting)
  if (fallback === '') return '–'
  return setting.kind.parse(fallback) === undefined ? fallback : `\`${fallback}\``
}

/** A pipe would end the cell, and `<runId>` be taken for HTML. */
const cell = (text: string): string => text.replaceAll('|', '\\|').replaceAll('<', '&lt;')
