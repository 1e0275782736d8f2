/** The project's files as the tidy tests read them. */
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('../../..', import.meta.url))

/** The text of a file, by its path from the project's root. */
export const textOf = (path: string): string => readFileSync(join(root, path), 'utf8')

/** Whether there is such a file or folder. */
export const isThere = (path: string): boolean => existsSync(join(root, path))

/** Paths from the project's root of all files below `folder` that end so, sorted. */
export const filesBelow = (folder: string, ending: string): string[] =>
  readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith(ending))
    .map((name) => join(folder, name))
    .sort()

/** Everything people read: README and its like, and docs. */
export const pages = (): string[] => [...readdirSync(root).filter((name) => name.endsWith('.md')), ...filesBelow('docs', '.md')]

/** What stands between `<!-- name -->` and `<!-- /name -->`. */
export const sectionOf = (page: string, name: string): string | undefined =>
  new RegExp(`<!-- ${name} -->\\n(.*?)\\n<!-- /${name} -->`, 's').exec(textOf(page))?.[1]

/** Rows of all Markdown tables in a text, as trimmed cells, without heads and rules. */
export const tableRows = (text: string): string[][] =>
  text
    .split('\n')
    .filter((line, index, lines) => line.startsWith('|') && !/^\|[\s:-]+\|/.test(line) && !/^\|[\s:-]+\|/.test(lines[index + 1] ?? ''))
    .map((line) => line.split(/(?<!\\)\|/).slice(1, -1))
    .map((cells) => cells.map((cell) => cell.trim()))
