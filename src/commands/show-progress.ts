/** Progress on stderr while a run goes on, never on stdout: a live view on a terminal, elsewhere one plain line per interval and change of phase. */
import type { WriteStream } from 'node:tty'
import { liveFigures } from '../report/live-figures.ts'
import { progressLine } from '../report/progress.ts'
import { LiveScreen } from '../report/terminal/live-screen.ts'
import { liveView } from '../report/terminal/live-view.ts'
import type { Board } from './board.ts'
import type { CommandContext } from './context.ts'
import { isColoured, isTerminal } from './terminal.ts'

const LINE_EVERY_MS = 2_000
const DRAW_EVERY_MS = 250

export interface Progress {
  /** Says a sentence between two progress lines, or above the live view. */
  readonly say: (text: string) => void
  /** Idempotent. */
  end(): void
}

export const showProgress = (board: Board, { stderr, env }: CommandContext): Progress =>
  isTerminal(stderr, env) ? showLive(board, stderr, isColoured(stderr, env)) : showLines(board, stderr)

function showLines(board: Board, stderr: CommandContext['stderr']): Progress {
  const line = (): void => void stderr.write(`${progressLine(liveFigures(board.state(), board.nowUs()))}\n`)
  const timer = setInterval(line, LINE_EVERY_MS)
  board.onPhase(line)
  return {
    say: (text) => void stderr.write(`${text}\n`),
    end: () => clearInterval(timer),
  }
}

function showLive(board: Board, terminal: WriteStream, coloured: boolean): Progress {
  const screen = new LiveScreen({
    terminal,
    isColoured: coloured,
    lines: (window) => liveView(liveFigures(board.state(), board.nowUs()), window),
  })
  const draw = (): void => screen.draw()
  const timer = setInterval(draw, DRAW_EVERY_MS)
  terminal.on('resize', draw)
  board.onPhase(draw)
  return {
    say: (text) => screen.writeAbove(`${text}\n`),
    end: () => {
      clearInterval(timer)
      terminal.off('resize', draw)
      screen.close()
    },
  }
}
