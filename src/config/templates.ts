/**
 * Templates of names: `public.{{run}}`. It fills placeholders and says which ones it does not know. The probe's body has a
 * template of its own (`probe/`), because it is filled per probe.
 */

const PLACEHOLDER = /\{\{([^{}]*)\}\}/g

/** `template` with each `{{name}}` replaced by its value. A name without a value stays as it is; settings with such names are refused. */
export const fillTemplate = (template: string, values: Readonly<Record<string, string | number>>): string =>
  template.replace(PLACEHOLDER, (whole, name: string) => (Object.hasOwn(values, name) ? String(values[name]) : whole))

/** The placeholders of a template, in order, each once. */
export const placeholdersIn = (template: string): string[] => [...new Set(Array.from(template.matchAll(PLACEHOLDER), (match) => match[1]!))]
