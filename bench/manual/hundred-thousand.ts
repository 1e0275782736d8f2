/**
 * The seed's published run on one machine: 100,000 clients × 1,000 probes 30 ms apart, through one coordinator and REPLICAS replicas
 * against as many target processes. Needs a RabbitMQ at TEST_AMQP_ADDR and 19,000 open files a process; loopback addresses
 * from 127.0.0.2 on are the sources. Not part of `npm run bench`, because it fills the machine for about a minute:
 *
 *   TEST_AMQP_ADDR=amqp://… node --import tsx bench/manual/hundred-thousand.ts
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import type { Report } from '../../src/report/schema.ts'

const PROGRAM = fileURLToPath(new URL('../../dist/main.js', import.meta.url))
const CLIENTS = Number(process.env.CLIENTS ?? 100_000)
const REPLICAS = Number(process.env.REPLICAS ?? 6)
const PROBES = process.env.PROBES ?? '1000'
const GAP_MS = process.env.GAP_MS ?? '30'
const FIRST_SOURCE = 2

const amqp = process.env.TEST_AMQP_ADDR
if (amqp === undefined) throw new Error('TEST_AMQP_ADDR names no RabbitMQ')
const group = `bench-${process.pid}`
const exchange = `fanfare.${group}`
const children: ChildProcess[] = []

try {
  const target = start(['target', '--port', '0', '--amqp', amqp, '--exchange', exchange, '--processes', String(REPLICAS)])
  const { ws } = JSON.parse(await firstLine(target)) as { ws: string[] }
  const shared = {
    RUN_GROUP: group,
    AMQP_ADDR: amqp,
    AMQP_EXCHANGE: exchange,
    WS_ADDR: ws.join(','),
    MSG_COUNT: PROBES,
    MSG_DELAY: GAP_MS,
    REPLICAS: String(REPLICAS),
    CONNECT_RATE: '10000',
    CONNECT_CONCURRENCY: '1200',
    CONNECT_TIMEOUT_MS: '60000',
    READY_TIMEOUT_MS: '60000',
    CANARY_TIMEOUT_MS: '30000',
    METRICS_PORT: '0',
    THREADS: '1',
    SENTINELS: '0',
  }
  for (let replica = 0; replica < REPLICAS; replica++) {
    const clients = Math.floor(CLIENTS / REPLICAS) + (replica < CLIENTS % REPLICAS ? 1 : 0)
    start(['replica'], { ...shared, WS_POOL_SIZE: String(clients), SOURCE_ADDRESSES: `127.0.0.${FIRST_SOURCE + replica}` }).stdout?.resume()
  }
  const coordinator = start(['coordinate', '--json'], shared)
  const report = JSON.parse(await everything(coordinator)) as Report
  show(report)
} finally {
  for (const child of children) child.kill('SIGTERM')
  await Promise.all(children.map((child) => (child.exitCode === null && child.signalCode === null ? once(child, 'exit') : undefined)))
}

function show({ clients, deliveries, serviceLatencyUs, latencyUs, fanout, tester, verdict, connect }: Report): void {
  console.log(`verdict: ${verdict.outcome} (${verdict.reasons.map(({ code }) => code).join(', ') || 'no objection'})`)
  console.log(`clients: ${clients.ready} ready of ${clients.wanted}, ${connect.ratePerSecond?.toFixed(0)}/s`)
  console.log(
    `deliveries: ${deliveries.delivered} of ${deliveries.expected}, lost ${deliveries.lost}, missed ${deliveries.missed}, duplicated ${deliveries.duplicated}`,
  )
  console.log(
    `mean: ${((serviceLatencyUs.mean ?? 0) / 1e6).toFixed(3)} s service, ${((latencyUs.mean ?? 0) / 1e6).toFixed(3)} s delivery; completion p50 ${((fanout.completionUs.p50 ?? 0) / 1e6).toFixed(3)} s`,
  )
  console.log(
    `time to empty: ${((deliveries.timeToEmptyMs ?? 0) / 1e3).toFixed(2)} s, ${deliveries.ratePerSecond?.toFixed(0)} deliveries/s`,
  )
  console.log(
    `tester: ${tester.health}, ${tester.framesPerRead?.toFixed(1)} frames per read, ${tester.cpuSeconds?.toFixed(1)} s of CPU in the coordinator`,
  )
}

function start(args: string[], env: Record<string, string> = {}): ChildProcess {
  const child = spawn(process.execPath, [PROGRAM, ...args], {
    env: { PATH: process.env.PATH, ...env },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  children.push(child)
  return child
}

async function firstLine(child: ChildProcess): Promise<string> {
  const [line] = (await once(createInterface({ input: child.stdout! }), 'line')) as [string]
  return line
}

async function everything(child: ChildProcess): Promise<string> {
  let text = ''
  child.stdout!.setEncoding('utf8').on('data', (part: string) => {
    text += part
  })
  await once(child, 'close')
  return text
}
