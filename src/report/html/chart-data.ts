/**
 * What the page's charts are drawn from: columns of the timeline, few enough that a run of an hour stays a small file. Several seconds
 * in one column show the worst of them, never an average; rates are those of the whole column.
 */
import { msToSeconds, usToMs } from '../../units.ts'
import type { Report } from '../schema.ts'
import { type Curve, percentileCurves } from './curves.ts'

/** More columns than this nobody sees on a screen. */
const MAX_COLUMNS = 720

export interface ChartData {
  /** Seconds in one column. */
  readonly columnSeconds: number
  /** Start of each column, seconds since the run started. */
  readonly atS: number[]
  /** Deliveries a second: owed (probes published × clients ready) and heard. */
  readonly offeredPerSecond: (number | null)[]
  readonly deliveredPerSecond: number[]
  readonly ready: number[]
  readonly openedPerSecond: number[]
  readonly disconnected: number[]
  /** Milliseconds; the worst second of the column. */
  readonly p50Ms: (number | null)[]
  readonly p99Ms: (number | null)[]
  readonly maxMs: (number | null)[]
  readonly heat: {
    /** Upper bounds of the rows, milliseconds. */
    readonly boundsMs: number[]
    /** column, row, deliveries, column, row, deliveries, … */
    readonly cells: number[]
  }
  /** Intervals in which the broker had publishing blocked, seconds since the run started. */
  readonly blockedS: [start: number, end: number][]
  /** [share beyond, milliseconds]. */
  readonly curves: { readonly name: string; readonly points: [number, number][] }[]
}

type Second = Report['timeline'][number]

export function chartData(report: Report, curves: readonly Curve[] = percentileCurves(report.histograms)): ChartData {
  const columnSeconds = Math.max(1, Math.ceil(report.timeline.length / MAX_COLUMNS))
  const columns = inColumns(report.timeline, columnSeconds)
  return {
    columnSeconds,
    atS: columns.map((seconds) => rounded(msToSeconds(seconds[0]!.atMs))),
    offeredPerSecond: columns.map((seconds) => offered(seconds, report)),
    deliveredPerSecond: columns.map((seconds) => rounded(total(seconds, (second) => second.delivered) / seconds.length)),
    ready: columns.map((seconds) => seconds.at(-1)!.ready),
    openedPerSecond: columns.map((seconds) => rounded(total(seconds, (second) => second.opened ?? 0) / seconds.length)),
    disconnected: columns.map((seconds) => total(seconds, (second) => second.disconnected ?? 0)),
    p50Ms: columns.map((seconds) => worstMs(seconds, 'p50')),
    p99Ms: columns.map((seconds) => worstMs(seconds, 'p99')),
    maxMs: columns.map((seconds) => worstMs(seconds, 'max')),
    heat: { boundsMs: report.latencyBucketBoundsUs.map(usToMs), cells: heatCells(columns) },
    blockedS: (report.publish?.blocked ?? []).map(({ startMs, endMs }) => [
      rounded(msToSeconds(startMs)),
      rounded(msToSeconds(endMs ?? report.durationMs)),
    ]),
    curves: curves.map(({ name, points }) => ({ name, points: points.map(([tail, us]) => [tail, usToMs(us)]) })),
  }
}

function inColumns(timeline: readonly Second[], columnSeconds: number): Second[][] {
  const columns: Second[][] = []
  for (let from = 0; from < timeline.length; from += columnSeconds) columns.push(timeline.slice(from, from + columnSeconds))
  return columns
}

/** Published probes times the deliveries owed for one; null when another program published, and nobody knows how fast. */
function offered(seconds: readonly Second[], { publish, deliveries }: Report): number | null {
  if (publish === undefined || publish.published === 0) return null
  const owedPerProbe = deliveries.expected / publish.published
  return rounded((total(seconds, (second) => second.published ?? 0) * owedPerProbe) / seconds.length)
}

function worstMs(seconds: readonly Second[], name: 'p50' | 'p99' | 'max'): number | null {
  const known = seconds.flatMap(({ latencyUs }) => latencyUs[name] ?? [])
  return known.length === 0 ? null : usToMs(Math.max(...known))
}

function heatCells(columns: readonly Second[][]): number[] {
  return columns.flatMap((seconds, column) => {
    const rows = new Map<number, number>()
    for (const { latencyBuckets } of seconds) for (const [row, count] of latencyBuckets) rows.set(row, (rows.get(row) ?? 0) + count)
    return [...rows].sort(([a], [b]) => a - b).flatMap(([row, count]) => [column, row, count])
  })
}

const total = (seconds: readonly Second[], read: (second: Second) => number): number =>
  seconds.reduce((sum, second) => sum + read(second), 0)

const rounded = (value: number): number => Math.round(value * 100) / 100
