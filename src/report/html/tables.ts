/** Tables of the report page: plain rows in, accessible markup out. Wide ones scroll inside their own box. */
import { html, type Markup } from './markup.ts'

export interface Column<T> {
  readonly title: string
  readonly cell: (row: T) => string | Markup
  /** Right-aligned digits. */
  readonly isNumber?: boolean
}

/** The first column names the row. `label` is what a screen reader calls the table. */
export const table = <T>(
  label: string,
  columns: readonly Column<T>[],
  rows: readonly T[],
): Markup => html`<div class="scroll" tabindex="0" role="region" aria-label="${label}">
<table>
<thead><tr>${columns.map(({ title, isNumber }) => html`<th scope="col" class="${isNumber ? 'number' : ''}">${title}</th>`)}</tr></thead>
<tbody>
${rows.map((row) => html`<tr>${columns.map((column, index) => tableCell(column, row, index === 0))}</tr>\n`)}</tbody>
</table>
</div>`

function tableCell<T>({ cell, isNumber }: Column<T>, row: T, isName: boolean): Markup {
  const content = cell(row)
  if (isName) return html`<th scope="row">${content}</th>`
  return html`<td class="${isNumber ? 'number' : 'wrap'}">${content}</td>`
}

/** A value as a length beside its number; `ratio` from 0 to 1. */
export const bar = (ratio: number, kind = ''): Markup =>
  html`<span class="bar ${kind}" style="width:${Math.round(Math.min(1, Math.max(0, ratio)) * 1000) / 10}%"></span>`
