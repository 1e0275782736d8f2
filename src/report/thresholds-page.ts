/** The tables of `docs/thresholds.md`, made from the figures the parser knows. */
import { distributionFigures, distributionNames, type FigureUnit, valueFigure, valueNames } from './figures.ts'

const unitWords: Record<FigureUnit, string> = { us: 'time', count: 'count', perSecond: 'rate' }

/** Markdown between the page's `figures` marks. */
export function figureTables(): string {
  const values = valueNames.map((name) => {
    const { unit, of, help } = valueFigure(name)
    return `| \`${name}\` | ${unitWords[unit]} | ${of === undefined ? '' : `\`${of}\``} | ${help} |`
  })
  const distributions = distributionNames.map((name) => `| \`${name}\` | ${distributionFigures[name]} |`)
  return [
    '| figure | is a | `%` and `*` are shares of | means |',
    '|---|---|---|---|',
    ...values,
    '',
    '| distribution | of |',
    '|---|---|',
    ...distributions,
  ].join('\n')
}
