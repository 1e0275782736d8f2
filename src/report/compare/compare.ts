/**
 * Two sides of runs, before and after, made into one plain comparison: each figure with its change, and everything else that differs. Pure.
 * Over several runs a figure is its median; nothing is pooled, since the runs of a side differ as wholes.
 */
import type { Report } from '../schema.ts'
import { type ComparedFigure, comparedFigures } from './compared-figures.ts'
import { MIN_RUNS, median, permutationTest } from './permutation-test.ts'

/** Runs of one side; `label` is where they came from. */
export interface Side {
  readonly label: string
  readonly reports: readonly Report[]
}

export interface FigureChange {
  readonly figure: ComparedFigure
  /** One per run that knows the figure. */
  readonly before: readonly number[]
  readonly after: readonly number[]
  /** Medians; undefined when no run of the side knows the figure. */
  readonly beforeMedian: number | undefined
  readonly afterMedian: number | undefined
  /** After − before, in the figure's unit. */
  readonly change: number | undefined
  /** After ÷ before − 1; undefined when before is 0 or unknown. */
  readonly relativeChange: number | undefined
  /** How often chance alone gives such a difference; undefined with fewer than MIN_RUNS runs on a side. */
  readonly pValue: number | undefined
}

/** Something beside the figures that is not the same on both sides. */
export interface Difference {
  readonly name: string
  /** All values found on the side. */
  readonly before: readonly string[]
  readonly after: readonly string[]
}

export interface Comparison {
  readonly before: Side
  readonly after: Side
  readonly changes: readonly FigureChange[]
  readonly differences: readonly Difference[]
  /** Both sides have enough runs for the permutation test. */
  readonly isTested: boolean
}

export function compareSides(before: Side, after: Side): Comparison {
  return {
    before,
    after,
    changes: comparedFigures.map((figure) => changeOf(figure, before, after)).filter(({ before: a, after: b }) => a.length + b.length > 0),
    differences: differencesBetween(before, after),
    isTested: before.reports.length >= MIN_RUNS && after.reports.length >= MIN_RUNS,
  }
}

function changeOf(figure: ComparedFigure, before: Side, after: Side): FigureChange {
  const [valuesBefore, valuesAfter] = [before, after].map(({ reports }) =>
    reports.map(figure.read).filter((value) => value !== undefined),
  ) as [number[], number[]]
  const beforeMedian = valuesBefore.length === 0 ? undefined : median(valuesBefore)
  const afterMedian = valuesAfter.length === 0 ? undefined : median(valuesAfter)
  const change = beforeMedian === undefined || afterMedian === undefined ? undefined : afterMedian - beforeMedian
  return {
    figure,
    before: valuesBefore,
    after: valuesAfter,
    beforeMedian,
    afterMedian,
    change,
    relativeChange: change === undefined || beforeMedian === 0 ? undefined : change / Math.abs(beforeMedian!),
    pValue: permutationTest(valuesBefore, valuesAfter),
  }
}

/** Settings that name a run or its files, and so differ between any two. */
const OWN_SETTINGS = new Set(['RUN_ID', 'REPORT_DIR', 'METRICS_PORT'])

function differencesBetween(before: Side, after: Side): Difference[] {
  const described = [before, after].map(({ reports }) => reports.map(describe))
  const names = [...new Set(described.flat().flatMap((values) => [...values.keys()]))]
  return names.flatMap((name) => {
    const [a, b] = described.map((side) => [...new Set(side.map((values) => values.get(name) ?? 'not set'))].sort()) as [string[], string[]]
    return a.join('\n') === b.join('\n') ? [] : [{ name, before: a, after: b }]
  })
}

/** What might explain a change: settings, version, machine, and how the run was judged. */
function describe({ settings, environment, verdict, stopReason }: Report): Map<string, string> {
  const values = new Map<string, string>([
    ['verdict', verdict.outcome],
    ['stop reason', stopReason],
    ['fanfare', environment.version],
    ['node', environment.node],
    ['system', environment.os],
    ['processors', `${environment.cpus}${environment.cpuModel === undefined ? '' : ` × ${environment.cpuModel}`}`],
    ['memory', `${environment.memoryBytes} bytes`],
  ])
  for (const [name, value] of Object.entries(settings)) {
    if (!OWN_SETTINGS.has(name) && value !== null) values.set(name, String(value))
  }
  return values
}
