import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { buildReport } from '../../../src/report/build.ts'
import { reportCsv } from '../../../src/report/csv.ts'
import { html, scriptJson, trusted } from '../../../src/report/html/markup.ts'
import { markdownText, reportMarkdown } from '../../../src/report/markdown.ts'
import { glossaryList, warningTable } from '../../../src/report/reading-page.ts'
import { simulateRun } from '../../fixtures/simulated-run.ts'

const report = buildReport(simulateRun({ clients: 100, probes: 60, neverReady: 2 }), '0.1.0')

test('CSV has one line a second, units in the names, and empty cells where nothing is known', () => {
  const [head, ...lines] = reportCsv(report).trimEnd().split('\n')
  assert.equal(head, 'atMs,published,delivered,ready,opened,disconnected,p50Us,p99Us,maxUs')
  assert.equal(lines.length, report.timeline.length)
  assert.ok(lines.every((line) => line.split(',').length === 9))
  assert.match(lines[0]!, /^-?[\d.]+,0,0,98,98,0,,,$/)
  const delivered = lines.reduce((sum, line) => sum + Number(line.split(',')[2]), 0)
  assert.equal(delivered, report.deliveries.delivered)
})

test('Markdown begins with the verdict, shows figures and checks, and stays far below the limit of a comment', () => {
  const text = reportMarkdown(report)
  assert.match(text, /^### ❌ FAIL: 2 of 100 clients never became ready\n/)
  assert.match(text, /\| deliveries \| 5,880 of 5,880 \(100 %\) \|/)
  assert.match(text, /\| delivery \| 1\.48 ms \|/)
  assert.match(text, /- ❌ ready==100%: 98 \\\(limit 100\\\)/)
  assert.match(text, /- ⚠️ `shortfall`: 2 of 100 clients/)
  assert.ok(text.length < 4_000)
})

test('many reasons and warnings are counted, so that a comment stays one', () => {
  const warnings = Array.from({ length: 500 }, (_, index) => ({ code: 'x', text: `text ${index}` }))
  const text = reportMarkdown({ ...report, verdict: { ...report.verdict, warnings } })
  assert.match(text, /… and 480 more/)
})

test('text from outside cannot become Markdown or HTML', () => {
  assert.equal(markdownText('<b>|a|*b* [x](y)\n# @team `c`'), '&lt;b&gt;\\|a\\|\\*b\\* \\[x\\]\\(y\\) \\# &#64;team \\`c\\`')
})

test('html escapes what is put in, unless it is markup of our own', () => {
  assert.equal(
    html`<a title="${'"<&>\''}">${['<b>', trusted('<i>')]}${undefined}${7}</a>`.text,
    '<a title="&quot;&lt;&amp;&gt;&#39;">&lt;b&gt;<i>7</a>',
  )
})

test('JSON in a script element cannot end it, and is still the same JSON', () => {
  const value = { text: '</script><!-- \u2028' }
  const text = scriptJson(value).text
  assert.doesNotMatch(text, /<|\u2028/)
  assert.deepEqual(JSON.parse(text), value)
})

test('docs/reading-a-report.md holds the glossary and the warnings (npm run docs)', () => {
  const page = readFileSync(new URL('../../../docs/reading-a-report.md', import.meta.url), 'utf8')
  assert.ok(page.includes(glossaryList()))
  assert.ok(page.includes(warningTable()))
})
