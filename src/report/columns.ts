/** Text tables: cells padded to a common width per column. Knows neither colours nor units. */

/** Columns are two spaces apart; `alignments` has one letter per column, `l` or `r`, the last one repeats. */
export function alignColumns(rows: readonly (readonly string[])[], alignments: string): string[] {
  const widths: number[] = []
  for (const row of rows) for (const [column, cell] of row.entries()) widths[column] = Math.max(widths[column] ?? 0, cell.length)
  return rows.map((row) =>
    row
      .map((cell, column) => pad(cell, widths[column]!, alignments[column] ?? alignments.at(-1)!))
      .join('  ')
      .trimEnd(),
  )
}

const pad = (text: string, width: number, alignment: string): string => (alignment === 'r' ? text.padStart(width) : text.padEnd(width))
