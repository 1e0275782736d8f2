/** What a stream can show: whether somebody looks at it through a terminal, and in colour. */
import type { Writable } from 'node:stream'
import type { WriteStream } from 'node:tty'
import type { CommandContext } from './context.ts'

/** A dumb terminal moves no cursor, so it counts as none. */
export const isTerminal = (stream: Writable, env: CommandContext['env']): stream is WriteStream =>
  'isTTY' in stream && stream.isTTY === true && env.TERM !== 'dumb'

/** https://no-color.org: set and not empty means none. */
export const isColoured = (stream: Writable, env: CommandContext['env']): boolean => isTerminal(stream, env) && !env.NO_COLOR

/** A terminal that does not say how wide it is. */
const DEFAULT_COLUMNS = 80

export const columnsOf = (terminal: WriteStream): number => terminal.columns || DEFAULT_COLUMNS
