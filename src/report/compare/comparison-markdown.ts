/** A comparison as Markdown that fits a comment on a pull request. */
import { markdownTable, markdownText } from '../markdown.ts'
import type { Comparison } from './compare.ts'
import { caveatText, changeText, isSame, judgementText, sideText, sideValueText } from './comparison-words.ts'
import type { ChangeCheck } from './fail-if.ts'

/** Ends with a newline. */
export function comparisonMarkdown(comparison: Comparison, checks: readonly ChangeCheck[]): string {
  const { before, after, changes, differences } = comparison
  const isForbidden = checks.some((check) => check.isForbidden)
  const blocks = [
    `### ${checks.length === 0 ? '' : isForbidden ? '❌ ' : '✅ '}fanfare: before and after`,
    `before: ${markdownText(sideText(before))}<br>after: ${markdownText(sideText(after))}`,
    isSame(comparison) ? 'No figure and no setting differs.' : '',
    checks.map(({ text, isForbidden: isBad, found }) => `- ${isBad ? '❌' : '✅'} ${markdownText(`${text}: ${found}`)}`).join('\n'),
    markdownTable(
      ['', 'before', 'after', 'change', ...(comparison.isTested ? [''] : [])],
      changes.map((change) =>
        [
          change.figure.name,
          sideValueText(change, 'before'),
          sideValueText(change, 'after'),
          changeText(change),
          ...(comparison.isTested ? [judgementText(change)] : []),
        ].map(markdownText),
      ),
      'lrrrl',
    ),
    differences.length === 0
      ? ''
      : markdownTable(
          ['differs', 'before', 'after'],
          differences.map(({ name, before: a, after: b }) => [name, a.join(' / '), b.join(' / ')].map(markdownText)),
          'l',
        ),
    `<sub>${markdownText(caveatText(comparison))}</sub>`,
  ]
  return `${blocks.filter((block) => block !== '').join('\n\n')}\n`
}
