import assert from 'node:assert/strict'
import { after, before, type TestContext, test } from 'node:test'
import type { Browser } from 'playwright-core'
import { Registry } from 'prom-client'
import { type MetricsServer, startMetricsServer } from '../../../src/metrics/server.ts'
import { type LiveEvent, LiveFeed } from '../../../src/report/live-page/live-feed.ts'
import { livePage, pageOf } from '../../../src/report/live-page/live-page.ts'
import { secondsToUs } from '../../../src/units.ts'
import { hasBrowser, inkOfCharts, launchBrowser, visibleText, visit } from '../../fixtures/browser.ts'
import { STARTED_US, simulateRun, stateOf } from '../../fixtures/simulated-run.ts'

/** 100 clients, 1,000 probes at 100/s: publishing lasts from second 2 to second 12. */
const result = simulateRun({ clients: 100, probes: 1_000, gapUs: 10_000 })

interface Served {
  readonly server: MetricsServer
  readonly feed: LiveFeed
  /** Seconds since the run started, as the page is told. */
  seconds: number
  outcome: string | undefined
}

async function serve(t: TestContext): Promise<Served> {
  const served = { seconds: 6, outcome: undefined as string | undefined }
  const feed = new LiveFeed({
    state: () => ({
      ...stateOf(result, served.outcome === undefined ? 'publish' : 'done'),
      publisher: { ...result.publisher!, published: 400 },
    }),
    nowUs: () => STARTED_US + secondsToUs(served.seconds),
    outcome: () => served.outcome,
  })
  const server = await startMetricsServer({
    host: '127.0.0.1',
    port: 0,
    registry: new Registry(),
    isReady: () => true,
    pages: { '/': pageOf(livePage(result.plan, '0.1.0')), '/events': feed.page },
  })
  t.after(async () => {
    feed.close()
    await server.close()
  })
  return Object.assign(served, { server, feed })
}

async function* eventsOf(url: string): AsyncGenerator<LiveEvent, undefined> {
  const response = await fetch(`${url}/events`)
  assert.equal(response.headers.get('content-type'), 'text/event-stream')
  let text = ''
  for await (const chunk of response.body!.pipeThrough(new TextDecoderStream())) {
    text += chunk
    for (let end = text.indexOf('\n\n'); end >= 0; end = text.indexOf('\n\n')) {
      yield JSON.parse(text.slice('data: '.length, end)) as LiveEvent
      text = text.slice(end + 2)
    }
  }
}

test('the first event tells where the run is and its past, the next ones only the seconds since', async (t) => {
  const served = await serve(t)
  const events = eventsOf(served.server.url)
  const first = (await events.next()).value!
  assert.equal(first.phase, 'publish')
  assert.deepEqual(first.progress, { done: 400, total: 1_000, of: 'probes' })
  assert.match(first.rows.find(({ label }) => label === 'probes')!.text, /^400 of 1,000, 100\/s of 100\/s asked/)
  assert.equal(first.seconds.at(-1)!.deliveredPerSecond, 10_000)
  assert.equal(first.seconds.at(-1)!.offeredPerSecond, 10_000)
  assert.ok(Math.abs(first.seconds.at(-1)!.p50Ms! - 1.49) < 0.01)
  const known = first.seconds.at(-1)!.atS

  served.seconds = 8
  const second = (await events.next()).value!
  assert.deepEqual(
    second.seconds.map(({ atS }) => Math.round(atS - known)),
    [1, 2],
  )
  await events.return(undefined)
})

test('the last event tells the outcome, and then the stream ends', async (t) => {
  const served = await serve(t)
  const events = eventsOf(served.server.url)
  await events.next()
  served.outcome = 'pass'
  served.feed.close()
  assert.equal((await events.next()).value!.outcome, 'pass')
  assert.equal((await events.next()).done, true)
})

test('a watcher too many is sent away, and one that left makes room', async (t) => {
  const served = await serve(t)
  const watchers = Array.from({ length: 16 }, () => eventsOf(served.server.url))
  await Promise.all(watchers.map((watcher) => watcher.next()))
  assert.equal((await fetch(`${served.server.url}/events`)).status, 503)
  await watchers[0]!.return(undefined)
  let status = 503
  for (let tries = 0; status === 503 && tries < 200; tries++) {
    const abort = new AbortController()
    status = (await fetch(`${served.server.url}/events`, { signal: abort.signal })).status
    abort.abort()
  }
  assert.equal(status, 200)
  await Promise.all(watchers.map((watcher) => watcher.return(undefined)))
})

test('a second of events is a few KB at most', async (t) => {
  const served = await serve(t)
  const events = eventsOf(served.server.url)
  await events.next()
  served.seconds = 7
  assert.ok(JSON.stringify((await events.next()).value).length < 4_096)
  await events.return(undefined)
})

let browser: Browser
before(async () => {
  if (hasBrowser) browser = await launchBrowser()
})
after(async () => browser?.close())

if (!hasBrowser) console.log('not run: the live page in a browser, because there is no Chromium (Debian package chromium, or CHROMIUM)')
const browserTest = hasBrowser ? test : () => undefined

browserTest('the live page shows the run as it goes on, without an error and without asking anybody else', async (t) => {
  const served = await serve(t)
  const { page, errors, requests, close } = await visit(browser, `${served.server.url}/`)
  await page.getByText('400 of 1,000 probes').waitFor()
  const text = await visibleText(page.locator('main'))
  assert.match(text, /publish 6 s/)
  assert.match(text, /deliveries 100,000, 10,000\/s of 10,000\/s offered/)
  for (const [name, pixels] of Object.entries(await inkOfCharts(page))) assert.ok(pixels > 1_000, `${name}: ${pixels}`)

  served.seconds = 9
  await page.getByText('9 s', { exact: true }).waitFor()
  served.outcome = 'pass'
  served.feed.close()
  await page.locator('.verdict.pass').waitFor()
  assert.deepEqual(errors, [])
  assert.deepEqual(new Set(requests), new Set([`${served.server.url}/events`]))
  await close()
})

test('there is nothing on the live page that could change a run', () => {
  assert.doesNotMatch(livePage(result.plan, '0.1.0'), /<(?:form|button|input|select|textarea)\b|method=|fetch\(|XMLHttpRequest|sendBeacon/)
})

test('the live page hides the password of the target', () => {
  const { plan } = simulateRun({ env: { WS_ADDR: 'wss://bob:pa55@example.com/' } })
  assert.equal(livePage(plan, '0.1.0').includes('pa55'), false)
})
