/**
 * `fanfare target`: one target, or several on consecutive ports with a process and a queue each, until it is told to stop. When
 * all are ready it prints one line of JSON on stdout that says where they are.
 */
import { fork } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { extname } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describeError, FanfareError } from '../errors.ts'
import type { Habit } from './habits/habit.ts'
import { parseHabits } from './habits/parse.ts'
import { startTarget, type TargetOptions } from './target.ts'

/** How long a broker is waited for before the line is printed; the target goes on trying afterwards. */
const CONSUMING_TIMEOUT_MS = 5_000
const CHILD_READY_TIMEOUT_MS = CONSUMING_TIMEOUT_MS + 10_000
const CHILD_STOP_TIMEOUT_MS = 5_000

export interface TargetCommand {
  readonly host: string
  /** The first WebSocket port; 0: free ones. The same for `metricsPort` and `controlPort`. */
  readonly port: number
  readonly metricsPort: number
  readonly controlPort: number
  readonly amqp?: string | undefined
  readonly exchange?: string | undefined
  /** From 1; each process has ports one above those of the one before. */
  readonly processes: number
  /** JSON, or `@FILE` with JSON in it. */
  readonly habits?: string | undefined
  /** With several processes each appends its number from the second on: `truth.ndjson`, `truth.ndjson.1`. */
  readonly truthFile?: string | undefined
}

/** Where one target is. */
export interface TargetAddresses {
  readonly ws: string
  readonly metrics: string
  readonly control: string
}

/** Resolves when the signal aborts and everything has ended; rejects when a target cannot start or a process dies. */
export async function runTargetCommand(command: TargetCommand, signal: AbortSignal): Promise<void> {
  const habits = readHabits(command.habits)
  const running: RunningTarget[] = []
  try {
    for (let index = 0; index < command.processes; index += 1) {
      const options = optionsOf(command, habits, index)
      running.push(command.processes === 1 ? await startHere(options) : await startChild(options))
    }
    const addresses = running.map((target) => target.addresses)
    const line = {
      ws: addresses.map(({ ws }) => ws),
      metrics: addresses.map(({ metrics }) => metrics),
      control: addresses.map(({ control }) => control),
    }
    process.stdout.write(`${JSON.stringify(line)}\n`)
    await Promise.race([aborted(signal), ...running.map((target) => target.died)])
  } finally {
    await Promise.all(running.map((target) => target.stop()))
  }
}

interface RunningTarget {
  readonly addresses: TargetAddresses
  /** Rejects when the process ends by itself. */
  readonly died: Promise<never>
  stop(): Promise<void>
}

function optionsOf(command: TargetCommand, habits: readonly Habit[], index: number): TargetOptions {
  const portOf = (first: number) => (first === 0 ? 0 : first + index)
  return {
    host: command.host,
    port: portOf(command.port),
    metricsPort: portOf(command.metricsPort),
    controlPort: portOf(command.controlPort),
    habits,
    ...(command.amqp !== undefined && { amqp: command.amqp }),
    ...(command.exchange !== undefined && { exchange: command.exchange }),
    ...(command.truthFile !== undefined && { truthFile: index === 0 ? command.truthFile : `${command.truthFile}.${index}` }),
  }
}

/** Starts a target in this process and waits a while for its broker. */
export async function startHere(options: TargetOptions): Promise<RunningTarget> {
  const target = await startTarget({ ...options, log: (text) => process.stderr.write(`target: ${text}\n`) })
  if (options.amqp !== undefined && !(await target.whenConsuming(CONSUMING_TIMEOUT_MS))) {
    process.stderr.write('target: no broker yet; it is tried again until there is one\n')
  }
  const addresses = { ws: target.url, metrics: target.metricsUrl, control: target.controlUrl }
  return { addresses, died: new Promise(() => {}), stop: () => target.close() }
}

async function startChild(options: TargetOptions): Promise<RunningTarget> {
  const file = fileURLToPath(new URL(`./target-process${extname(import.meta.url)}`, import.meta.url))
  const child = fork(file, { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] })
  const exited = new Promise<void>((resolve) => child.once('exit', () => resolve()))
  const died = exited.then(() => {
    throw new FanfareError('fault', `The target process for port ${options.port} ended by itself`)
  })
  died.catch(() => {}) // also seen by whoever races it; after a stop nobody does
  const ready = new Promise<TargetAddresses>((resolve, reject) => {
    child.once('message', (reply: TargetAddresses | { error: string }) => {
      if ('error' in reply) reject(new FanfareError('settings-invalid', reply.error))
      else resolve(reply)
    })
    setTimeout(
      () => reject(new FanfareError('fault', `The target process for port ${options.port} did not start in time`)),
      CHILD_READY_TIMEOUT_MS,
    ).unref()
  })
  const stop = async () => {
    if (child.connected) child.disconnect() // the child's signal to close
    const timer = setTimeout(() => child.kill('SIGKILL'), CHILD_STOP_TIMEOUT_MS)
    await exited
    clearTimeout(timer)
  }
  child.send(options)
  try {
    return { addresses: await Promise.race([ready, died]), died, stop }
  } catch (error) {
    await stop()
    throw error
  }
}

const aborted = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    if (signal.aborted) resolve()
    else signal.addEventListener('abort', () => resolve(), { once: true })
  })

function readHabits(text: string | undefined): readonly Habit[] {
  if (text === undefined) return []
  try {
    return parseHabits(JSON.parse(text.startsWith('@') ? readFileSync(text.slice(1), 'utf8') : text))
  } catch (error) {
    if (error instanceof FanfareError) throw error
    throw new FanfareError('settings-invalid', `Expected --habits to be JSON or @FILE, got \`${text}\`: ${describeError(error)}`, {
      cause: error,
    })
  }
}
