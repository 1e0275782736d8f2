/** A comparison for terminals and logs. */
import { alignColumns } from '../columns.ts'
import type { Comparison } from './compare.ts'
import { caveatText, changeText, isSame, judgementText, sideText, sideValueText } from './comparison-words.ts'
import type { ChangeCheck } from './fail-if.ts'

/** Without a trailing newline. */
export function comparisonText(comparison: Comparison, checks: readonly ChangeCheck[]): string {
  const { before, after, changes, differences } = comparison
  const blocks = [
    [`before  ${sideText(before)}`, `after   ${sideText(after)}`],
    isSame(comparison) ? ['No figure and no setting differs.'] : [],
    alignColumns(
      [
        ['', 'before', 'after', 'change', ''],
        ...changes.map((change) => [
          change.figure.name,
          sideValueText(change, 'before'),
          sideValueText(change, 'after'),
          changeText(change),
          judgementText(change),
        ]),
      ],
      'lrrrl',
    ),
    differences.length === 0
      ? []
      : alignColumns(
          [['differs', 'before', 'after'], ...differences.map(({ name, before: a, after: b }) => [name, a.join(' | '), b.join(' | ')])],
          'l',
        ),
    [caveatText(comparison)],
    checks.map(({ text, isForbidden, found }) => `${isForbidden ? '✗' : '✓'} ${text}: ${found}`),
  ]
  return blocks
    .filter((lines) => lines.length > 0)
    .map((lines) => lines.join('\n'))
    .join('\n\n')
}
