/**
 * The report as one HTML file that needs nothing else: no network, no server. Without JavaScript it reads from top to bottom; with it the
 * timelines are drawn. Everything from outside is escaped by `html`.
 */
import type { Report } from '../schema.ts'
import { chartLibrary, pageStyle, reportScript } from './assets.ts'
import { type ChartData, chartData } from './chart-data.ts'
import { type Curve, percentileCurves } from './curves.ts'
import {
  glossarySection,
  publishSection,
  replicaSection,
  settingsSection,
  streamSection,
  targetSection,
  testerSection,
  worstSection,
} from './detail-sections.ts'
import { booksTable, checkTable, latencyTable, tiles, verdictSection } from './figures-section.ts'
import { html, type Markup, scriptJson, trusted } from './markup.ts'
import { percentileSvg } from './percentile-svg.ts'

export function reportHtml(report: Report): string {
  const curves = percentileCurves(report.histograms)
  const data = chartData(report, curves)
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="content-security-policy" content="default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; img-src data:">
<title>fanfare ${report.runId}: ${report.verdict.outcome}</title>
<link rel="icon" href="data:,">
<style>${trusted(pageStyle())}</style>
</head>
<body>
<main>
<p class="origin">fanfare report · run <b>${report.runId}</b> · ${report.startedAt} · ${targetText(report)}</p>
${verdictSection(report)}
${tiles(report)}
${percentileSection(curves)}
${latencyTable(report)}
${timelineSection(data)}
<h2 id="checks">Checks and books</h2>
${checkTable(report)}
${booksTable(report)}
${publishSection(report)}
${testerSection(report)}
${targetSection(report)}
${streamSection(report)}
${replicaSection(report)}
${worstSection(report)}
${settingsSection(report)}
${glossarySection()}
<footer>fanfare ${report.environment.version} · ${report.schema}</footer>
</main>
<script type="application/json" id="chart-data">${scriptJson(data)}</script>
<script>${trusted(chartLibrary())}</script>
<script>${trusted(reportScript())}</script>
</body>
</html>
`.text
}

const targetText = ({ settings }: Report): string => String(settings.WS_ADDR ?? '')

const percentileSection = (curves: readonly Curve[]): Markup => html`<h2 id="latency">Latency</h2>
<figure>
<figcaption><b>How long until a share of all had heard.</b> To the right the slowest ones: a curve that climbs steeply there has a few very late deliveries.</figcaption>
<div class="without-script">${percentileSvg(curves)}</div>
${curves.length > 0 ? chart('percentiles', 'Percentile curves of delivery, service and completion') : ''}
</figure>`

function timelineSection(data: ChartData): Markup {
  if (data.atS.length < 2) return html`<h2 id="timeline">Over time</h2><p class="absent">The run was too short to be drawn over time.</p>`
  const column = data.columnSeconds === 1 ? 'second' : `${data.columnSeconds} seconds; percentiles are those of its worst second`
  return html`<h2 id="timeline">Over time</h2>
<p class="without-script absent">The timelines are drawn by JavaScript; their figures are in report.json.</p>
<p class="needs-script soft">One column is one ${column}. Shaded: the broker had publishing blocked. Arrow keys move through a focused chart.</p>
${timelineFigure('rate', 'Offered and delivered', 'deliveries a second; delivered below offered means that a queue builds up')}
${timelineFigure('latency', 'Delivery latency', 'p50, p99 and the slowest of each column')}
${data.heat.cells.length === 0 ? '' : timelineFigure('heat', 'Where the deliveries were', 'darker: a larger share of the column')}
${timelineFigure('clients', 'Clients', 'ready, opened a second, and connections lost')}`
}

const timelineFigure = (name: string, title: string, text: string): Markup => html`<figure class="needs-script">
<figcaption><b>${title}</b>: ${text}</figcaption>
${chart(name, `${title}: ${text}`)}
</figure>`

const chart = (name: string, label: string): Markup =>
  html`<div class="chart needs-script" data-chart="${name}" tabindex="0" role="img" aria-label="${label}"></div>`
