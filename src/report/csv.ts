/** The timeline as comma-separated values, one line a second, for spreadsheets and scripts. Units stand in the column names. */
import type { Report } from './schema.ts'

type Second = Report['timeline'][number]

const columns: readonly [name: string, read: (second: Second) => number | undefined][] = [
  ['atMs', ({ atMs }) => atMs],
  ['published', ({ published }) => published],
  ['delivered', ({ delivered }) => delivered],
  ['ready', ({ ready }) => ready],
  ['opened', ({ opened }) => opened],
  ['disconnected', ({ disconnected }) => disconnected],
  ['p50Us', ({ latencyUs }) => latencyUs.p50],
  ['p99Us', ({ latencyUs }) => latencyUs.p99],
  ['maxUs', ({ latencyUs }) => latencyUs.max],
]

/** Ends with a newline; what is unknown is an empty cell. */
export function reportCsv({ timeline }: Report): string {
  const lines = timeline.map((second) => columns.map(([, read]) => read(second) ?? '').join(','))
  return `${[columns.map(([name]) => name).join(','), ...lines].join('\n')}\n`
}
