/**
 * A terminal as far as the live view uses one: text, line ends, carriage return, cursor up, clear below, hide and show the cursor. Wraps long
 * lines, and wraps them anew when it is resized, as terminals do.
 */
export class Screen {
  columns: number
  rows: number
  isCursorShown = true
  /** Lines as they were written, unwrapped. */
  #lines: string[] = ['']
  /** Line and column of the cursor, in unwrapped lines. */
  #line = 0
  #column = 0

  constructor(columns: number, rows: number) {
    this.columns = columns
    this.rows = rows
  }

  write(text: string): boolean {
    // biome-ignore lint/suspicious/noControlCharactersInRegex: escape sequences begin with one
    for (const [token] of text.matchAll(/\u001b\[\??\d*(?:;\d+)*[a-zA-Z]|[^\u001b]/gsu)) this.#take(token)
    return true
  }

  resize(columns: number, rows: number): void {
    this.columns = columns
    this.rows = rows
  }

  /** What is on the screen from the first line ever written, without empty lines at the end. */
  text(): string {
    return this.#lines
      .map((line) => line.trimEnd())
      .join('\n')
      .trimEnd()
  }

  /** The longest visible line. */
  widest(): number {
    return Math.max(...this.#lines.map((line) => line.length))
  }

  #take(token: string): void {
    if (token === '\n') this.#newLine()
    else if (token === '\r') this.#column = 0
    else if (token === '\u001b[?25l') this.isCursorShown = false
    else if (token === '\u001b[?25h') this.isCursorShown = true
    else if (!token.startsWith('\u001b')) this.#put(token)
    else if (token.endsWith('A')) this.#up(Number(token.slice(2, -1)))
    else if (token.endsWith('J')) this.#clearBelow()
  }

  #newLine(): void {
    this.#line++
    this.#column = 0
    if (this.#line === this.#lines.length) this.#lines.push('')
  }

  #put(character: string): void {
    const line = this.#lines[this.#line]!.padEnd(this.#column)
    this.#lines[this.#line] = line.slice(0, this.#column) + character + line.slice(this.#column + 1)
    this.#column++
  }

  #clearBelow(): void {
    this.#lines.length = this.#line + 1
    this.#lines[this.#line] = this.#lines[this.#line]!.slice(0, this.#column)
  }

  /** Up by rows of the window: a wrapped line is several of them. */
  #up(rows: number): void {
    let left = rows
    while (left > 0) {
      const row = Math.floor(this.#column / this.columns)
      const step = Math.min(left, row)
      this.#column -= step * this.columns
      left -= step
      if (left === 0 || this.#line === 0) return
      this.#line--
      this.#column = (Math.max(1, Math.ceil(this.#lines[this.#line]!.length / this.columns)) - 1) * this.columns
      left--
    }
  }
}
