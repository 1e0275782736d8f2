/** The figures a comparison shows, in its order: what each is called, where it stands in a report, and which way is better. */
import { msToUs } from '../../units.ts'
import type { FigureUnit } from '../figures.ts'
import type { Report, Summary } from '../schema.ts'
import { shownStatistics, statisticNames } from '../statistic-names.ts'

export interface ComparedFigure {
  readonly name: string
  readonly unit: FigureUnit | 'bytes' | 'seconds'
  readonly better: 'lower' | 'higher'
  read(report: Report): number | undefined
}

const latencies = (
  name: string,
  wanted: readonly (typeof shownStatistics)[number][],
  read: (report: Report) => Summary | undefined,
): ComparedFigure[] =>
  wanted.map((statistic) => ({
    name: `${name}.${statisticNames[statistic]}`,
    unit: 'us',
    better: 'lower',
    read: (report) => read(report)?.[statistic],
  }))

const figure = (
  name: string,
  unit: ComparedFigure['unit'],
  better: ComparedFigure['better'],
  read: ComparedFigure['read'],
): ComparedFigure => ({
  name,
  unit,
  better,
  read,
})

export const comparedFigures: readonly ComparedFigure[] = [
  ...latencies('delivery', shownStatistics, ({ latencyUs }) => latencyUs),
  ...latencies('service', ['p50', 'p99', 'mean'], ({ serviceLatencyUs }) => serviceLatencyUs),
  ...latencies('first', ['p50', 'max'], ({ fanout }) => fanout.firstUs),
  ...latencies('completion', ['p50', 'p90', 'p99', 'max'], ({ fanout }) => fanout.completionUs),
  ...latencies('spread', ['p50', 'max'], ({ fanout }) => fanout.spreadUs),
  figure('lost', 'count', 'lower', ({ deliveries }) => deliveries.lost),
  figure('missed', 'count', 'lower', ({ deliveries }) => deliveries.missed),
  figure('duplicated', 'count', 'lower', ({ deliveries }) => deliveries.duplicated),
  figure('outOfOrder', 'count', 'lower', ({ deliveries }) => deliveries.outOfOrder),
  figure('deliveryRate', 'perSecond', 'higher', ({ deliveries }) => deliveries.ratePerSecond),
  figure('timeToEmpty', 'us', 'lower', ({ deliveries }) =>
    deliveries.timeToEmptyMs === undefined ? undefined : msToUs(deliveries.timeToEmptyMs),
  ),
  figure('ready', 'count', 'higher', ({ clients }) => clients.ready),
  figure('connectRate', 'perSecond', 'higher', ({ connect }) => connect.ratePerSecond),
  ...latencies('connect', ['p50', 'p99'], ({ connect }) => connect.latencyUs),
  figure('rate', 'perSecond', 'higher', ({ publish }) => publish?.achievedRatePerSecond),
  ...latencies('lateness', ['p99', 'max'], ({ publish }) => publish?.latenessUs),
  figure('testerCpu', 'seconds', 'lower', ({ tester }) => tester.cpuSeconds),
  figure('testerBytesPerClient', 'bytes', 'lower', ({ tester }) => tester.bytesPerClient),
]
