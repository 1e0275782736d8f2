/**
 * The live view of a run as lines of text for a window of a given size. Pure: figures in, lines out; `live-screen.ts` puts them on the terminal.
 */
import { formatCount, formatElapsed, formatShare } from '../format.ts'
import type { LiveFigures } from '../live-figures.ts'
import { type LiveRow, liveRows } from '../live-rows.ts'
import { makePalette, type Palette } from '../palette.ts'

export interface Window {
  readonly columns: number
  readonly rows: number
  readonly isColoured: boolean
}

const LABEL_COLUMNS = 12
const GAP = '  '
const FULL = '█'
const EMPTY = '░'
const MAX_BAR_COLUMNS = 60

/** At most `rows − 1` lines, none wider than `columns`. */
export function liveView(figures: LiveFigures, { columns, rows, isColoured }: Window): string[] {
  const palette = makePalette(isColoured)
  const lines = [
    titleLine(figures, columns, palette),
    ...barLine(figures, columns),
    ...liveRows(figures).map((row) => rowLine(row, columns, palette)),
  ]
  return lines.slice(0, Math.max(1, rows - 1))
}

function titleLine(figures: LiveFigures, columns: number, palette: Palette): string {
  const parts = [`fanfare ${figures.runId}`, figures.phase, formatElapsed(figures.elapsedMs), etaText(figures)].filter(
    (text) => text !== '',
  )
  const [name = '', ...rest] = fitting(parts, columns)
  return [palette.bold(name), ...rest].join(GAP)
}

function etaText({ progress }: LiveFigures): string {
  if (progress?.etaMs === undefined || progress.done >= progress.total) return ''
  return `${formatElapsed(progress.etaMs)} to go`
}

function barLine({ progress }: LiveFigures, columns: number): string[] {
  if (progress === undefined || progress.total === 0) return []
  const ratio = Math.min(1, progress.done / progress.total)
  const text = `${formatShare(ratio)} of ${formatCount(progress.total)} ${progress.of}`
  const width = Math.min(MAX_BAR_COLUMNS, columns - text.length - GAP.length)
  if (width < 8) return [cut(text, columns)]
  const full = Math.floor(ratio * width)
  return [`${FULL.repeat(full)}${EMPTY.repeat(width - full)}${GAP}${text}`]
}

function rowLine({ label, parts, isBad }: LiveRow, columns: number, palette: Palette): string {
  const text = fitting(parts, columns - LABEL_COLUMNS).join(GAP)
  return `${palette.dim(cut(label.padEnd(LABEL_COLUMNS), columns))}${isBad ? palette.yellow(text) : text}`
}

/** As many of the first parts as there is room for; the first is cut when even that is too long. */
function fitting(parts: readonly string[], columns: number): string[] {
  const fit: string[] = []
  let used = 0
  for (const part of parts) {
    const width = part.length + (fit.length === 0 ? 0 : GAP.length)
    if (used + width > columns) break
    used += width
    fit.push(part)
  }
  return fit.length === 0 && parts.length > 0 ? [cut(parts[0]!, columns)] : fit
}

const cut = (text: string, columns: number): string => {
  if (text.length <= columns) return text
  return columns < 1 ? '' : `${text.slice(0, columns - 1)}…`
}
