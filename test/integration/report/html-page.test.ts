import assert from 'node:assert/strict'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { pathToFileURL } from 'node:url'
import type { Browser } from 'playwright-core'
import { buildReport } from '../../../src/report/build.ts'
import { formatCount, formatDuration } from '../../../src/report/format.ts'
import { reportHtml } from '../../../src/report/html/page.ts'
import type { Report } from '../../../src/report/schema.ts'
import { hasBrowser, inkOfCharts, launchBrowser, visibleText, visit } from '../../fixtures/browser.ts'
import { simulateRun } from '../../fixtures/simulated-run.ts'

const report = buildReport(
  simulateRun({
    clients: 200,
    probes: 500,
    neverReady: 3,
    latencyUs: (client, sequence) => (client === 9 && sequence % 50 === 0 ? undefined : 900 + client * 10 + sequence * 3),
  }),
  '0.1.0',
)

/** An hour at 33 probes a second, every second with a spread of latencies over 40 buckets. */
const hourLong: Report = {
  ...report,
  durationMs: 3_600_000,
  timeline: Array.from({ length: 3_600 }, (_, second) => ({
    atMs: second * 1_000 + 123.456,
    published: 33,
    delivered: 330_000 + second,
    ready: 10_000,
    opened: 0,
    disconnected: 0,
    latencyUs: { p50: 5_000 + second, p99: 80_000 + second, max: 900_000 + second },
    latencyBuckets: Array.from({ length: 40 }, (_, bucket): [number, number] => [bucket + 10, 8_000 + ((second * bucket) % 997)]),
  })),
}

test('an hour-long run makes a page under 1 MB', () => {
  assert.ok(Buffer.byteLength(reportHtml(hourLong)) < 1_000_000, `${Buffer.byteLength(reportHtml(hourLong))} bytes`)
})

test('the page holds no address it would load anything from', () => {
  const page = reportHtml(report)
  assert.doesNotMatch(page, /<(?:script|link|img|iframe)[^>]*(?:src|href)="(?!data:)/)
  assert.doesNotMatch(page, /@import|url\((?!data:)/)
})

let browser: Browser
let folder: string
before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'fanfare-page-'))
  if (hasBrowser) browser = await launchBrowser()
})
after(async () => {
  await browser?.close()
  await rm(folder, { recursive: true })
})

const saved = async (name: string, of: Report): Promise<string> => {
  const path = join(folder, `${name}.html`)
  await writeFile(path, reportHtml(of))
  return pathToFileURL(path).href
}

if (!hasBrowser) console.log('not run: the report page in a browser, because there is no Chromium (Debian package chromium, or CHROMIUM)')
const browserTest = hasBrowser ? test : () => undefined

browserTest('opened from a file the page has no console error, asks for nothing, and every chart has ink', async () => {
  for (const colorScheme of ['light', 'dark'] as const) {
    const { page, errors, requests, close } = await visit(browser, await saved('report', report), { colorScheme })
    assert.deepEqual(errors, [])
    assert.deepEqual(requests, [])
    const ink = await inkOfCharts(page)
    assert.deepEqual(Object.keys(ink).sort(), ['clients', 'heat', 'latency', 'percentiles', 'rate'])
    for (const [name, pixels] of Object.entries(ink)) assert.ok(pixels > 2_000, `${name}: ${pixels} pixels in ${colorScheme}`)
    await close()
  }
})

browserTest('the figures on the page are those of the report', async () => {
  const { page, close } = await visit(browser, await saved('figures', report))
  const text = await visibleText(page.locator('main'))
  const { deliveries, clients, latencyUs, fanout, publish } = report
  for (const words of [
    `FAIL: ${formatCount(deliveries.lost)} of ${formatCount(deliveries.expected)} deliveries were lost; 3 of 200 clients never became ready`,
    `clients ready ${formatCount(clients.ready)} of ${formatCount(clients.wanted)} wanted`,
    `delivery intended → each client ${formatCount(latencyUs.count)} ${formatDuration(latencyUs.min!)} ${formatDuration(latencyUs.mean!)}`,
    `p99 ${formatDuration(latencyUs.p99!)}, max ${formatDuration(latencyUs.max!)}`,
    `completion intended → last client ${formatCount(fanout.completionUs.count)}`,
    `confirmed ${formatCount(publish!.confirmed)}`,
    `delivered ${formatCount(deliveries.delivered)}`,
    '9 127.0.0.1:40009 500 10',
  ]) {
    assert.ok(text.includes(words), words)
  }
  await close()
})

browserTest('without JavaScript the page reads: figures, and the headline chart as SVG', async () => {
  const { page, errors, close } = await visit(browser, await saved('plain', report), { javaScriptEnabled: false })
  assert.deepEqual(errors, [])
  assert.ok(await page.locator('svg.percentiles').isVisible())
  assert.equal(await page.locator('svg.percentiles path.curve').count(), 6)
  assert.equal(await page.locator('[data-chart]').first().isVisible(), false)
  assert.ok(await page.getByText('3 of 200 clients never became ready').first().isVisible())
  await close()
})

browserTest('a window of 400 pixels needs no sideways scrolling of the page', async () => {
  const { page, close } = await visit(browser, await saved('narrow', report), { viewport: { width: 400, height: 800 } })
  assert.equal(await page.evaluate('document.documentElement.scrollWidth'), 400)
  await close()
})

browserTest('arrow keys walk through a focused chart and its legend tells the figures', async () => {
  const { page, errors, close } = await visit(browser, await saved('keys', report))
  const chart = page.locator('[data-chart=rate]')
  await chart.focus()
  for (let step = 0; step < 4; step++) await page.keyboard.press('ArrowRight')
  assert.match(await visibleText(chart.locator('.u-legend')), /^at[\d.]+ s.*delivered[\d,]+\/s/)
  assert.deepEqual(errors, [])
  await close()
})

browserTest('intervals in which the broker blocked are marked on the timelines', async () => {
  const marked = { ...report, publish: { ...report.publish!, blocked: [{ startMs: 4_000, endMs: 9_000, reason: 'low on memory' }] } }
  const ink = async (of: Report, name: string): Promise<number> => {
    const { page, close } = await visit(browser, await saved(name, of))
    const { rate } = await inkOfCharts(page)
    await close()
    return rate!
  }
  assert.ok((await ink(marked, 'marked')) > 1.5 * (await ink(report, 'unmarked')))
})

browserTest('an hour-long run is drawn as well', async () => {
  const { page, errors, close } = await visit(browser, await saved('hour', hourLong))
  assert.deepEqual(errors, [])
  assert.ok((await inkOfCharts(page)).heat! > 20_000)
  await close()
})

const HOSTILE = `</script><script>window.hacked=1</script><img src=x onerror="window.hacked=1">'"\`&amp;{{probe}}\u2028<!--`

/** Every text that may come from outside, replaced. */
const hostile: Report = {
  ...report,
  runId: HOSTILE,
  verdict: {
    ...report.verdict,
    reasons: [{ code: HOSTILE, text: HOSTILE }],
    warnings: [{ code: HOSTILE, text: HOSTILE }],
    checks: [{ name: HOSTILE, ok: false, unit: 'count', why: HOSTILE }],
  },
  settings: { STREAM: HOSTILE, [HOSTILE]: HOSTILE, WS_ADDR: HOSTILE },
  environment: { ...report.environment, os: HOSTILE, cpuModel: HOSTILE, version: HOSTILE, node: HOSTILE },
  clients: { ...report.clients, errorsByCode: { [HOSTILE]: 1 } },
  publish: {
    ...report.publish!,
    blocked: [{ startMs: 0, reason: HOSTILE }],
    latenessByCause: { [HOSTILE]: { count: 1, totalUs: 1, maxUs: 1 } },
  },
  tester: { ...report.tester, reasons: [HOSTILE], loopUtilisation: [{ replica: 0, thread: 0, role: HOSTILE, ratio: 0.5 }] },
  targets: report.targets!.map((target) => ({ ...target, url: HOSTILE })),
  replicas: [
    {
      replica: 0,
      name: HOSTILE,
      clients: report.clients,
      connect: report.connect,
      deliveries: report.deliveries,
      latencyUs: report.latencyUs,
      serviceLatencyUs: report.serviceLatencyUs,
      clockBoundUs: 1,
    },
  ],
  worst: {
    probes: report.worst.probes,
    clients: report.worst.clients.map((client) => ({ ...client, localAddress: HOSTILE, endCode: HOSTILE })),
  },
  histograms: { ...report.histograms, latency: HOSTILE },
}

browserTest('hostile strings stay text wherever they stand', async () => {
  const { page, errors, requests, close } = await visit(browser, await saved('hostile', hostile))
  assert.equal(await page.evaluate('window.hacked'), undefined)
  assert.deepEqual(errors, [])
  assert.deepEqual(requests, [])
  assert.equal(await page.locator('img').count(), 0)
  assert.ok((await visibleText(page.locator('main'))).split('window.hacked=1').length > 20)
  await close()
})
