/**
 * What holding clients costs: user-space memory per idle ready client (the slope between a small and a large roster in one process), how
 * fast clients connect and are acknowledged, and what a scrape of /metrics costs while 15,000 clients are under load. The broadcaster is
 * the one of bench/receive.ts.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { buildLimits, startBroadcaster } from './receive/broadcaster.ts'
import { startMeasuredRun } from './receive/measured-run.ts'

const REPEAT = Number(process.env.REPEAT ?? 3)
const FEW = 1_000
const MANY = 15_000
const SCRAPES = 20
const SCRAPE_EVERY_MS = 100
/** One probe every 300 ms to 15,000 clients: 50,000 deliveries a second. */
const LOAD = { probes: 40, gapUs: 300_000, batch: 1 }
const CONNECT_CONCURRENCY = '500'

const limits = buildLimits()
if (limits.folder === undefined) console.log(`${limits.why}; a Node process broadcasts, which accepts clients more slowly`)

const slopes: number[] = []
const connectRates: number[] = []
const scrapeMs: number[] = []
const seriesCounts = new Set<number>()
for (let round = 0; round < REPEAT; round++) {
  const few = await hold(FEW)
  const many = await hold(MANY)
  slopes.push((many.rssBytes - few.rssBytes) / (MANY - FEW))
  connectRates.push(many.connectRate)
}

console.log(
  `user-space memory: ${(median(slopes) / 1_024).toFixed(2)} KB per idle ready client (RSS slope between ${FEW} and ${MANY} clients, ${REPEAT} rounds)`,
)
console.log(`connects and acknowledgements: ${median(connectRates).toFixed(0)} clients/s (${MANY} clients)`)
console.log(
  `scrape of /metrics under load: median ${median(scrapeMs).toFixed(1)} ms, max ${Math.max(...scrapeMs).toFixed(1)} ms; series: ${[...seriesCounts].join(', ')}`,
)

async function hold(clients: number): Promise<{ rssBytes: number; connectRate: number }> {
  const { port, child } = await startBroadcaster({ clients, ...LOAD }, limits.folder)
  const gone = new Promise((resolve) => child.once('exit', resolve))
  const run = startMeasuredRun(port, { WS_POOL_SIZE: String(clients), MSG_COUNT: String(LOAD.probes), CONNECT_CONCURRENCY })
  const rssBytes = await run.readyRssBytes
  if (clients === MANY) await scrape(await run.metricsUrl)
  const { report } = await run.ended
  child.kill()
  await gone
  return { rssBytes, connectRate: report.connect.ratePerSecond ?? Number.NaN }
}

async function scrape(url: string): Promise<void> {
  for (let count = 0; count < SCRAPES; count++) {
    const startMs = performance.now()
    const text = await (await fetch(url)).text()
    scrapeMs.push(performance.now() - startMs)
    seriesCounts.add(text.split('\n').filter((line) => line !== '' && !line.startsWith('#')).length)
    await sleep(SCRAPE_EVERY_MS)
  }
}

function median(values: number[]): number {
  const sorted = [...values].sort((a, b) => a - b)
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN
}
