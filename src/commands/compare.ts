/** `fanfare compare BEFORE AFTER`: two reports or two folders of runs, and with --fail-if an exit code. */
import type { ToolRequest } from '../cli/arguments.ts'
import { FanfareError } from '../errors.ts'
import { exitCodes } from '../exit-codes.ts'
import { type Comparison, compareSides, type Side } from '../report/compare/compare.ts'
import { comparisonHtml } from '../report/compare/comparison-html.ts'
import { comparisonMarkdown } from '../report/compare/comparison-markdown.ts'
import { comparisonText } from '../report/compare/comparison-text.ts'
import { type ChangeCheck, type ForbiddenChange, judgeChange, parseFailIf } from '../report/compare/fail-if.ts'
import { loadSide } from '../report/compare/load-side.ts'
import { figuresFrom } from '../report/report-figures.ts'
import { savedHistograms } from '../report/saved-histograms.ts'
import type { CommandContext } from './context.ts'

/** Resolves with 1 when there is a change that --fail-if forbids. */
export async function compareCommand({ words, options }: ToolRequest, { stdout }: CommandContext): Promise<number> {
  const forbidden = parseFailIf(typeof options.failIf === 'string' ? options.failIf : '')
  const [beforePath, afterPath, ...others] = words
  if (beforePath === undefined || afterPath === undefined || others.length > 0) {
    throw new FanfareError('settings-invalid', `Expected two reports or folders of runs, got ${words.length}`)
  }
  if (options.html === true && options.markdown === true)
    throw new FanfareError('settings-invalid', 'Expected one of --html and --markdown, got both')
  const [before, after] = await Promise.all([loadSide(beforePath), loadSide(afterPath)])
  const checks = judgeAll(forbidden, before, after)
  stdout.write(textOf(compareSides(before, after), checks, options))
  return checks.some(({ isForbidden }) => isForbidden) ? exitCodes.fail : exitCodes.pass
}

function judgeAll(forbidden: readonly ForbiddenChange[], before: Side, after: Side): ChangeCheck[] {
  if (forbidden.length === 0) return []
  const [figuresBefore, figuresAfter] = [before, after].map(({ reports }) =>
    reports.map((report) => figuresFrom(report, savedHistograms(report))),
  )
  return forbidden.map((change) => judgeChange(change, figuresBefore!, figuresAfter!))
}

function textOf(comparison: Comparison, checks: readonly ChangeCheck[], options: ToolRequest['options']): string {
  if (options.html === true) return comparisonHtml(comparison, checks)
  if (options.markdown === true) return comparisonMarkdown(comparison, checks)
  return `${comparisonText(comparison, checks)}\n`
}
