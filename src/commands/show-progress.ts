/** Progress on stderr while a run goes on, never on stdout: a live view on a terminal, elsewhere one plain line per interval and change of phase. */
import type { WriteStream } from 'node:tty'
import { formatElapsed } from '../report/format.ts'
import { liveFigures } from '../report/live-figures.ts'
import { progressLine } from '../report/progress.ts'
import { LiveScreen } from '../report/terminal/live-screen.ts'
import { liveView } from '../report/terminal/live-view.ts'
import type { Board } from './board.ts'
import type { CommandContext } from './context.ts'
import { isShown, type Log, logTo } from './log.ts'
import { isColoured, isTerminal } from './terminal.ts'

const LINE_EVERY_MS = 2_000
const DRAW_EVERY_MS = 250

export interface Progress {
  /** A line between two progress lines, or above the live view. */
  readonly log: Log
  /** Idempotent. */
  end(): void
}

/** How progress is shown, apart from what is logged. */
interface Shown {
  readonly write: (line: string) => void
  end(): void
}

export function showProgress(board: Board, { stderr, env }: CommandContext): Progress {
  const { write, end } = shown(board, stderr, env)
  return { log: logTo((line) => write(`${formatElapsed(board.elapsedMs())} ${line}`), board.logLevel), end }
}

function shown(board: Board, stderr: CommandContext['stderr'], env: CommandContext['env']): Shown {
  if (!isShown('info', board.logLevel)) return { write: (line) => void stderr.write(`${line}\n`), end: () => undefined }
  return isTerminal(stderr, env) ? showLive(board, stderr, isColoured(stderr, env)) : showLines(board, stderr)
}

function showLines(board: Board, stderr: CommandContext['stderr']): Shown {
  const line = (): void => void stderr.write(`${progressLine(liveFigures(board.state(), board.nowUs()))}\n`)
  const timer = setInterval(line, LINE_EVERY_MS)
  board.onPhase(line)
  return {
    write: (text) => void stderr.write(`${text}\n`),
    end: () => clearInterval(timer),
  }
}

function showLive(board: Board, terminal: WriteStream, coloured: boolean): Shown {
  const screen = new LiveScreen({
    terminal,
    isColoured: coloured,
    lines: (window) => liveView(liveFigures(board.state(), board.nowUs()), window),
  })
  const draw = (): void => screen.draw()
  const timer = setInterval(draw, DRAW_EVERY_MS)
  terminal.on('resize', draw)
  board.onPhase(draw)
  const close = (): void => screen.close()
  // A second signal or a fault leaves at once: the cursor must come back all the same.
  process.once('exit', close)
  return {
    write: (line) => screen.writeAbove(`${line}\n`),
    end: () => {
      clearInterval(timer)
      terminal.off('resize', draw)
      process.off('exit', close)
      close()
    },
  }
}
