/**
 * HTML by tagged template: every value that is put in is escaped, unless it is markup already. Reports carry addresses, error
 * texts and stream names from outside, so escaping is the rule of the template and not the care of its user.
 */

/** Text that is HTML. Made by `html` and `trusted` only. */
export class Markup {
  readonly text: string

  constructor(text: string) {
    this.text = text
  }

  toString(): string {
    return this.text
  }
}

type Value = Markup | string | number | undefined | readonly Value[]

const entities: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' }

const escapeHtml = (text: string): string => text.replace(/[&<>"']/g, (character) => entities[character]!)

/** Safe in text and in quoted attributes; undefined puts in nothing, lists are joined. */
export const html = (strings: TemplateStringsArray, ...values: readonly Value[]): Markup =>
  new Markup(strings.reduce((text, part, index) => text + render(values[index - 1]) + part))

/** Markup of our own making: inlined styles, scripts and icons. Never for anything that came from outside. */
export const trusted = (text: string): Markup => new Markup(text)

/** JSON inside a `<script>` element: nothing in it can end the element or begin a comment. */
export const scriptJson = (value: unknown): Markup =>
  new Markup(JSON.stringify(value).replaceAll('<', '\\u003c').replaceAll('\u2028', '\\u2028').replaceAll('\u2029', '\\u2029'))

function render(value: Value): string {
  if (value === undefined) return ''
  if (value instanceof Markup) return value.text
  if (typeof value === 'string') return escapeHtml(value)
  if (typeof value === 'number') return String(value)
  return value.map(render).join('')
}
