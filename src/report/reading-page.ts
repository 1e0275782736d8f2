/** The lists of `docs/reading-a-report.md`, made from the glossary and the table of warnings. */
import { glossary } from './glossary.ts'
import { warningsTable } from './warnings.ts'

/** Markdown between the page's `glossary` marks. */
export const glossaryList = (): string => glossary.map(({ word, meaning }) => `- **${word}**: ${meaning}`).join('\n')

/** Markdown between the page's `warnings` marks. */
export const warningTable = (): string =>
  ['| code | means |', '|---|---|', ...Object.entries(warningsTable).map(([code, meaning]) => `| \`${code}\` | ${meaning} |`)].join('\n')
