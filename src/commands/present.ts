/** Shows a finished report: the file, then the summary on stdout with the seed tool's two lines last, or the JSON alone. */
import type { Settings } from '../config/settings.ts'
import { seedLines, summaryText } from '../report/console.ts'
import type { Report } from '../report/schema.ts'
import { reportJson, writeReport } from '../report/write.ts'
import type { CommandContext } from './context.ts'
import { logOn } from './log.ts'
import { columnsOf, isColoured, isTerminal } from './terminal.ts'

export interface PresentOptions {
  readonly isJson: boolean
  readonly nextSteps?: readonly string[]
  /** A folder below the run's, for a report that is not the run's own. */
  readonly part?: string
}

export async function present(
  report: Report,
  settings: Settings,
  { stdout, stderr, env }: CommandContext,
  options: PresentOptions,
): Promise<void> {
  const written = await writeReport(report, settings.reportDir, options.part)
  const log = logOn(stderr, settings.logLevel)
  if (!written.isWritten) log('error', `report-not-written: ${written.warning}`)
  if (options.isJson) {
    stdout.write(reportJson(report))
    return
  }
  if (!written.isWritten) stdout.write(written.json)
  const summary = summaryText(report, {
    isColoured: isColoured(stdout, env),
    ...(isTerminal(stdout, env) ? { columns: columnsOf(stdout) } : {}),
    ...(written.isWritten ? { reportPath: written.path } : {}),
    nextSteps: [...(written.isWritten ? [pageStep(written.path)] : []), ...(options.nextSteps ?? [])],
  })
  stdout.write(`${summary}\n\n${seedLines(report)}\n`)
}

const pageStep = (reportPath: string): string => `with charts, as one page: npx fanfare report ${reportPath} --html > report.html`
