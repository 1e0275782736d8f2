/** Text on a screen of so many columns: tables with cells padded to a common width, and sentences wrapped between words. Knows neither colours nor units. */

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

/** Lines no wider than `columns`, where words allow; all but the first begin with `indent`. */
export function wrapWords(text: string, columns: number, indent = '  '): string {
  const lines: string[] = []
  let line = ''
  for (const word of text.split(' ')) {
    if (line !== '' && line.length + 1 + word.length > columns) {
      lines.push(line)
      line = indent + word
    } else {
      line = line === '' ? word : `${line} ${word}`
    }
  }
  return [...lines, line].join('\n')
}
