/** `fanfare report FILE`: any output again from a saved report, on stdout. */
import type { ToolRequest } from '../cli/arguments.ts'
import { FanfareError } from '../errors.ts'
import { exitCodes } from '../exit-codes.ts'
import { summaryText } from '../report/console.ts'
import { reportCsv } from '../report/csv.ts'
import { reportHtml } from '../report/html/page.ts'
import { reportMarkdown } from '../report/markdown.ts'
import { readReport } from '../report/read.ts'
import type { Report } from '../report/schema.ts'
import type { CommandContext } from './context.ts'
import { isColoured } from './terminal.ts'

/** Resolves with 0 whatever the report's own verdict is: it was printed. */
export async function reportCommand({ words, options }: ToolRequest, context: CommandContext): Promise<number> {
  const [file, ...others] = words
  const format = chosenFormat(options)
  if (file === undefined || others.length > 0) throw new FanfareError('settings-invalid', `Expected one report file, got ${words.length}`)
  const report = await readReport(file)
  context.stdout.write(textOf(report, format, context))
  return exitCodes.pass
}

const formats = ['html', 'markdown', 'csv'] as const
type Format = (typeof formats)[number]

function chosenFormat(options: ToolRequest['options']): Format | undefined {
  const [format, ...others] = formats.filter((name) => options[name] === true)
  if (others.length > 0)
    throw new FanfareError('settings-invalid', `Expected one of --html, --markdown and --csv, got ${1 + others.length} of them`)
  return format
}

function textOf(report: Report, format: Format | undefined, { stdout, env }: CommandContext): string {
  switch (format) {
    case 'html':
      return reportHtml(report)
    case 'markdown':
      return reportMarkdown(report)
    case 'csv':
      return reportCsv(report)
    case undefined:
      return `${summaryText(report, { isColoured: isColoured(stdout, env) })}\n`
  }
}
