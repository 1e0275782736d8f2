/** The real program against a broadcaster, with what the operating system says of its process beside what it says of itself. */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import type { Report } from '../../src/report/schema.ts'
import { RUN_ID, STREAM } from './broadcaster.ts'

const PROGRAM = fileURLToPath(new URL('../../dist/main.js', import.meta.url))
const CLOCK_TICKS_PER_SECOND = Number(execFileSync('getconf', ['CLK_TCK']).toString())

export interface MeasuredRun {
  readonly child: ChildProcess
  /** Address of /metrics, once it was said. */
  readonly metricsUrl: Promise<string>
  /** All clients are ready and the first probe is waited for: resolves with the resident bytes of the process. */
  readonly readyRssBytes: Promise<number>
  readonly ended: Promise<{ report: Report; osCpuSeconds: number }>
}

/** Starts `fanfare run` with INJECTOR=none against ws://127.0.0.1:PORT/. */
export function startMeasuredRun(port: number, settings: Readonly<Record<string, string>>): MeasuredRun {
  const folder = mkdtempSync(join(tmpdir(), 'fanfare-bench-'))
  const env = {
    PATH: process.env.PATH,
    INJECTOR: 'none',
    RUN_ID,
    STREAM,
    WS_ADDR: `ws://127.0.0.1:${port}/`,
    THREADS: '1',
    SENTINELS: '0',
    CONNECT_RATE: '100000',
    METRICS_PORT: '0',
    REPORT_DIR: folder,
    ...settings,
  }
  const child = spawn(process.execPath, [PROGRAM, 'run', '--json'], { env, stdio: ['ignore', 'pipe', 'pipe'] })
  const metrics = deferred<string>()
  const ready = deferred<number>()
  const ended = deferred<{ report: Report; osCpuSeconds: number }>()
  let cpuAtReady = 0
  let cpuAtClose = 0
  const errors: string[] = []
  createInterface({ input: child.stderr }).on('line', (line) => {
    errors.push(line)
    const url = /metrics at (\S+)/.exec(line)?.[1]
    if (url !== undefined) metrics.resolve(url)
    if (/ s publish/.test(line) && cpuAtReady === 0) {
      cpuAtReady = cpuSecondsOf(child.pid!)
      ready.resolve(rssBytesOf(child.pid!))
    }
    if (/ s close/.test(line)) cpuAtClose = cpuSecondsOf(child.pid!)
  })
  let json = ''
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    json += text
  })
  child.once('close', () => {
    rmSync(folder, { recursive: true, force: true })
    try {
      ended.resolve({ report: JSON.parse(json) as Report, osCpuSeconds: cpuAtClose - cpuAtReady })
    } catch {
      ended.reject(new Error(`the run wrote no report:\n${errors.join('\n')}`))
    }
  })
  return { child, metricsUrl: metrics.promise, readyRssBytes: ready.promise, ended: ended.promise }
}

function deferred<T>(): { promise: Promise<T>; resolve: (value: T) => void; reject: (error: Error) => void } {
  let settle: { resolve: (value: T) => void; reject: (error: Error) => void } | undefined
  const promise = new Promise<T>((resolve, reject) => {
    settle = { resolve, reject }
  })
  return { promise, ...settle! }
}

/** User + system time of a process so far, all threads. */
function cpuSecondsOf(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8')
    .replace(/^.*\) /, '')
    .split(' ')
  // Fields 14 and 15 of proc(5), counted from the state (3).
  return (Number(fields[11]) + Number(fields[12])) / CLOCK_TICKS_PER_SECOND
}

function rssBytesOf(pid: number): number {
  const kilobytes = /^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]
  return Number(kilobytes) * 1_024
}
