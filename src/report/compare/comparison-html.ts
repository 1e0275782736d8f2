/** A comparison as one self-contained HTML page: the curves of both sides over each other, the table of changes, and what else differs. */

import type { HistogramData } from '../../measure/histogram.ts'
import { mergeHistograms } from '../../measure/histogram-merge.ts'
import { ownStyle } from '../html/assets.ts'
import { type Curve, curveOf } from '../html/curves.ts'
import { html, type Markup, trusted } from '../html/markup.ts'
import { percentileSvg } from '../html/percentile-svg.ts'
import { table } from '../html/tables.ts'
import { savedHistogram } from '../saved-histograms.ts'
import type { Comparison, Side } from './compare.ts'
import { caveatText, changeText, isSame, judgementText, sideText, sideValueText } from './comparison-words.ts'
import type { ChangeCheck } from './fail-if.ts'

export function comparisonHtml(comparison: Comparison, checks: readonly ChangeCheck[]): string {
  const { before, after, changes, differences, isTested } = comparison
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="content-security-policy" content="default-src 'none'; style-src 'unsafe-inline'; img-src data:">
<title>fanfare: before and after</title>
<link rel="icon" href="data:,">
<style>${trusted(ownStyle())}</style>
</head>
<body>
<main>
<p class="origin">before: <b>${sideText(before)}</b><br>after: <b>${sideText(after)}</b></p>
${verdict(comparison, checks)}
${overlay('Delivery latency', 'latency', before, after)}
${overlay('Completion: the last client', 'completion', before, after)}
<h2>Figures</h2>
${table(
  'Changes',
  [
    { title: '', cell: ({ figure }) => figure.name },
    { title: 'before', isNumber: true, cell: (change) => sideValueText(change, 'before') },
    { title: 'after', isNumber: true, cell: (change) => sideValueText(change, 'after') },
    { title: 'change', isNumber: true, cell: changeText },
    ...(isTested ? [{ title: 'test', cell: judgementText }] : []),
  ],
  changes,
)}
<p class="soft">${caveatText(comparison)}</p>
${
  differences.length === 0
    ? ''
    : html`<h2>What else differs</h2>
${table(
  'Differences',
  [
    { title: '', cell: ({ name }) => name },
    { title: 'before', cell: ({ before: values }) => values.join(' / ') },
    { title: 'after', cell: ({ after: values }) => values.join(' / ') },
  ],
  differences,
)}`
}
</main>
</body>
</html>
`.text
}

function verdict(comparison: Comparison, checks: readonly ChangeCheck[]): Markup {
  const isForbidden = checks.some((check) => check.isForbidden)
  const [word, sentence] = isForbidden
    ? ['FAIL', 'a change that --fail-if forbids']
    : isSame(comparison)
      ? ['SAME', 'no figure and no setting differs']
      : ['COMPARED', checks.length > 0 ? 'no change that --fail-if forbids' : 'before and after']
  return html`<section class="verdict ${isForbidden ? 'fail' : 'pass'}"><h1><span class="word">${word}:</span> ${sentence}</h1>
<ul class="plain">${checks.map(({ text, found, isForbidden: isBad }) => html`<li>${isBad ? '✗' : '✓'} <b>${text}</b>: ${found}</li>`)}</ul></section>`
}

/** Several runs of a side are drawn as one: a picture of where its deliveries were, not a figure. */
function overlay(title: string, histogram: string, before: Side, after: Side): Markup {
  const curves: Curve[] = [
    { name: 'before', points: curveOf(pooled(before, histogram)) },
    { name: 'after', points: curveOf(pooled(after, histogram)) },
  ]
  return html`<h2>${title}</h2>
<figure><figcaption>How long until a share of all had heard; several runs of a side are drawn together.</figcaption>
${percentileSvg(curves.filter(({ points }) => points.length > 0))}</figure>`
}

function pooled({ reports }: Side, name: string): HistogramData | undefined {
  let sum: HistogramData | undefined
  for (const { histograms } of reports) {
    const histogram = savedHistogram(histograms, name)
    if (histogram !== undefined) sum = sum === undefined ? histogram : mergeHistograms(sum, histogram)
  }
  return sum
}
