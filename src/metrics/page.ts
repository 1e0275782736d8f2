/** The tables of `docs/metrics.md`, made from the metrics that are exported. */
import { type MetricOwner, metricNames, metricRow } from './names.ts'

const owners: readonly [owner: MetricOwner, title: string][] = [
  ['every', 'Every process'],
  ['receivers', 'Receivers: a run in one process, and every replica'],
  ['publisher', 'Publisher: a run in one process, and the coordinator'],
  ['verdict', 'Merged figures and verdict: a run in one process, and the coordinator'],
]

/** Markdown between the page's `metrics` marks. */
export const metricTables = (): string =>
  owners
    .map(([owner, title]) => {
      const rows = metricNames
        .filter((name) => metricRow(name).owner === owner)
        .map((name) => {
          const { type, labels = [], help, normal, deviation } = metricRow(name)
          return `| \`${name}\` | ${type} | ${labels.map((label) => `\`${label}\``).join(', ')} | ${help} | ${normal} | ${deviation} |`
        })
      return [
        `### ${title}`,
        '',
        '| metric | type | labels | is | normal | a deviation means |',
        '|---|---|---|---|---|---|',
        ...rows,
      ].join('\n')
    })
    .join('\n\n')
