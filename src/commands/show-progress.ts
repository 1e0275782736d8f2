/** Progress on stderr while a run goes on: one plain line per interval and at every change of phase, never on stdout. */
import { liveFigures } from '../report/live-figures.ts'
import { progressLine } from '../report/progress.ts'
import type { Board } from './board.ts'
import type { CommandContext } from './context.ts'

const LINE_EVERY_MS = 2_000

export interface Progress {
  /** Says a sentence between two progress lines. */
  readonly say: (text: string) => void
  /** Idempotent. */
  end(): void
}

export function showProgress(board: Board, { stderr }: CommandContext): Progress {
  const line = (): void => void stderr.write(`${progressLine(liveFigures(board.state(), board.nowUs()))}\n`)
  const timer = setInterval(line, LINE_EVERY_MS)
  board.onPhase(line)
  return {
    say: (text) => void stderr.write(`${text}\n`),
    end: () => clearInterval(timer),
  }
}
