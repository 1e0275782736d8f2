/**
 * A few lines at the bottom of a terminal that are drawn over and over, and are gone in the end. It knows escape sequences and the window; what
 * the lines say it is told. Other text goes above the lines through `writeAbove`.
 */
import type { WriteStream } from 'node:tty'
import type { Window } from './live-view.ts'

const HIDE_CURSOR = '\u001b[?25l'
const SHOW_CURSOR = '\u001b[?25h'
const CLEAR_BELOW = '\u001b[0J'
const up = (rows: number): string => (rows > 0 ? `\u001b[${rows}A` : '')
/** A terminal that does not say how large it is. */
const DEFAULT_COLUMNS = 80
const DEFAULT_ROWS = 24

/** The part of a terminal that is used. */
export type Terminal = Pick<WriteStream, 'write' | 'columns' | 'rows'>

export interface LiveScreenOptions {
  readonly terminal: Terminal
  /** Lines for the window as it is now. */
  readonly lines: (window: Window) => readonly string[]
  readonly isColoured: boolean
}

export class LiveScreen {
  readonly #options: LiveScreenOptions
  /** Visible lengths of the lines on the screen. */
  #drawn: number[] = []
  #isClosed = false

  constructor(options: LiveScreenOptions) {
    this.#options = options
    options.terminal.write(HIDE_CURSOR)
  }

  draw(): void {
    if (this.#isClosed) return
    const lines = this.#options.lines(this.#window())
    this.#options.terminal.write(`${this.#erase()}${lines.map((line) => `${line}\n`).join('')}`)
    this.#drawn = lines.map(visibleLength)
  }

  /** `text` ends with a newline. */
  writeAbove(text: string): void {
    this.#options.terminal.write(`${this.#erase()}${text}`)
    this.#drawn = []
    this.draw()
  }

  /** Erases the lines and shows the cursor again. Idempotent. */
  close(): void {
    if (this.#isClosed) return
    this.#isClosed = true
    this.#options.terminal.write(`${this.#erase()}${SHOW_CURSOR}`)
    this.#drawn = []
  }

  #window(): Window {
    const { terminal, isColoured } = this.#options
    return { columns: terminal.columns || DEFAULT_COLUMNS, rows: terminal.rows || DEFAULT_ROWS, isColoured }
  }

  /** Terminals wrap lines anew when they become narrower, so the rows to go up depend on the width now. */
  #erase(): string {
    const { columns, rows } = this.#window()
    const used = this.#drawn.reduce((sum, length) => sum + Math.max(1, Math.ceil(length / columns)), 0)
    return `${up(Math.min(used, rows - 1))}\r${CLEAR_BELOW}`
  }
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: escape sequences begin with one
const ESCAPES = /\u001b\[[0-9;]*m/g

const visibleLength = (line: string): number => line.replaceAll(ESCAPES, '').length
