/**
 * What one delivery costs: CPU of the whole receiving process, from all clients ready to the last delivery, by the operating
 * system's accounting. Receivers take turns at the same traffic, REPEAT times (default 5); medians and ratios are told. A ratio counts
 * only where frames per read agree within 5 %. LIMITS_DIR with gcc adds the floor in C; SHAPE=one or twenty runs one half.
 */
import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { buildLimits, type Shape, startBroadcaster } from './receive/broadcaster.ts'
import { startMeasuredRun } from './receive/measured-run.ts'

const REPEAT = Number(process.env.REPEAT ?? 5)
const NS_PER_SECOND = 1e9
/** Frames per read that differ by more make costs incomparable. */
const COMPARABLE = 0.05

const shapes: Record<string, Shape> = {
  one: { clients: 5_000, probes: 300, gapUs: 30_000, batch: 1 },
  twenty: { clients: 2_000, probes: 10_000, gapUs: 2_500, batch: 20 },
}

interface Cost {
  readonly nsPerDelivery: number
  readonly framesPerRead: number | undefined
  /** What the program itself reports, where it does. */
  readonly ownNsPerDelivery?: number
}

interface Receiver {
  readonly name: string
  measure(port: number, shape: Shape): Promise<Cost>
}

const limits = buildLimits()
if (limits.folder === undefined) console.log(limits.why)

const receivers: Receiver[] = [
  ...(limits.folder === undefined ? [] : [{ name: 'C floor', measure: cFloor(limits.folder) }]),
  { name: 'fanfare run, fast', measure: fanfareRun('fast') },
  { name: 'fanfare run, ws', measure: fanfareRun('ws') },
  { name: 'fast engine, full books', measure: bareReceiver('books') },
  { name: 'fast engine, counting', measure: bareReceiver('count') },
  { name: 'ws, bytes counted', measure: bareReceiver('ws-count') },
  { name: 'ws, JSON.parse', measure: bareReceiver('ws-json') },
]

for (const [name, shape] of Object.entries(shapes)) {
  if (process.env.SHAPE !== undefined && process.env.SHAPE !== name) continue
  const costs = new Map<string, Cost[]>(receivers.map((receiver) => [receiver.name, []]))
  for (let round = 0; round < REPEAT; round++) {
    for (const receiver of receivers) {
      const { port, child } = await startBroadcaster(shape, limits.folder)
      const gone = new Promise((resolve) => child.once('exit', resolve))
      costs.get(receiver.name)!.push(await receiver.measure(port, shape))
      child.kill()
      await gone
    }
  }
  print(shape, costs)
}

function print(shape: Shape, costs: Map<string, Cost[]>): void {
  const deliveries = shape.clients * shape.probes
  console.log(
    `\n${shape.clients} clients × ${shape.probes} probes, ${shape.gapUs} µs apart, ${shape.batch} per write: ${deliveries} deliveries, ${REPEAT} rounds`,
  )
  const rows = [...costs].map(([name, all]) => ({
    receiver: name,
    'ns/delivery': Math.round(median(all.map(({ nsPerDelivery }) => nsPerDelivery))),
    'frames/read': rounded(median(all.flatMap(({ framesPerRead }) => framesPerRead ?? []))),
    'by its own report': rounded(median(all.flatMap(({ ownNsPerDelivery }) => ownNsPerDelivery ?? []))),
  }))
  console.table(rows)
  const cost = (name: string) => rows.find(({ receiver }) => receiver === name)
  ratio('against the C floor', cost('fanfare run, fast'), cost('C floor'))
  ratio('against ws with JSON.parse (times less)', cost('ws, JSON.parse'), cost('fanfare run, fast'))
  ratio('full books against counting only', cost('fast engine, full books'), cost('fast engine, counting'))
}

type Row = { 'ns/delivery': number; 'frames/read': number | undefined } | undefined

function ratio(title: string, above: Row, below: Row): void {
  if (above === undefined || below === undefined) return
  const [a, b] = [above['frames/read'], below['frames/read']]
  const isComparable = a === undefined || b === undefined || Math.abs(a / b - 1) <= COMPARABLE
  console.log(
    `${title}: ${(above['ns/delivery'] / below['ns/delivery']).toFixed(2)}${isComparable ? '' : ` (does not count: ${a} and ${b} frames per read)`}`,
  )
}

function fanfareRun(engine: 'fast' | 'ws'): Receiver['measure'] {
  return async (port, shape) => {
    const settings = { ENGINE: engine, WS_POOL_SIZE: String(shape.clients), MSG_COUNT: String(shape.probes) }
    const { report, osCpuSeconds } = await startMeasuredRun(port, settings).ended
    const { delivered, lost, missed, duplicated } = report.deliveries
    if (delivered !== shape.clients * shape.probes || lost + missed + duplicated > 0)
      throw new Error(`not every delivery was booked once: ${JSON.stringify(report.deliveries)}`)
    return {
      nsPerDelivery: (osCpuSeconds * NS_PER_SECOND) / delivered,
      framesPerRead: report.tester.framesPerRead,
      ownNsPerDelivery: ((report.tester.cpuSeconds ?? 0) * NS_PER_SECOND) / delivered,
    }
  }
}

function cFloor(folder: string): Receiver['measure'] {
  return async (port, shape) => {
    const said = await jsonOf(join(folder, 'floor'), [String(port), String(shape.clients)])
    return { nsPerDelivery: said.cpuNsPerDelivery!, framesPerRead: said.framesPerRead }
  }
}

function bareReceiver(mode: string): Receiver['measure'] {
  return async (port, shape) => {
    const program = fileURLToPath(new URL('receive/bare-receiver.ts', import.meta.url))
    const args = [...process.execArgv, program, String(port), String(shape.clients), String(shape.probes), mode]
    const said = await jsonOf(process.execPath, args)
    return { nsPerDelivery: (said.cpuSeconds! * NS_PER_SECOND) / said.deliveries!, framesPerRead: said.framesPerRead }
  }
}

async function jsonOf(program: string, args: string[]): Promise<Record<string, number | undefined>> {
  const child = spawn(program, args, { stdio: ['ignore', 'pipe', 'inherit'] })
  let text = ''
  child.stdout.setEncoding('utf8').on('data', (part: string) => {
    text += part
  })
  await new Promise((resolve) => child.once('close', resolve))
  return JSON.parse(text) as Record<string, number | undefined>
}

function median(values: number[]): number {
  const sorted = [...values].sort((a, b) => a - b)
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN
}

function rounded(value: number): number | undefined {
  return Number.isNaN(value) ? undefined : Number(value.toPrecision(4))
}
