/**
 * A counterpart in a process of its own: the embedded broker or the reference target, started from this very program. It says
 * where it listens in one JSON line on stdout. It ends when told, and also when this process dies (its IPC channel closes).
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { FanfareError } from '../errors.ts'

const PROGRAM = fileURLToPath(new URL('../main.js', import.meta.url))
const START_TIMEOUT_MS = 20_000
const STOP_TIMEOUT_MS = 5_000

export interface Counterpart {
  /** What it said when it was ready. */
  readonly addresses: Readonly<Record<string, unknown>>
  readonly pid: number
  /** Ends it (SIGTERM, then SIGKILL). Idempotent. */
  stop(): Promise<void>
}

/** Starts `fanfare <args>`. It is kept out of the terminal's process group, so that Ctrl-C reaches only this process. */
export async function startCounterpart(args: readonly string[]): Promise<Counterpart> {
  const child = spawn(process.execPath, [PROGRAM, ...args], { stdio: ['ignore', 'pipe', 'inherit', 'ipc'], detached: true })
  const exited = new Promise<void>((resolve) => child.once('exit', () => resolve()))
  const addresses = await firstLine(child, args)
  child.stdout?.resume()
  return { addresses, pid: child.pid!, stop: () => stop(child, exited) }
}

async function firstLine(child: ChildProcess, args: readonly string[]): Promise<Record<string, unknown>> {
  const name = `fanfare ${args[0]}`
  const lines = createInterface({ input: child.stdout! })
  let timer: NodeJS.Timeout | undefined
  try {
    return await new Promise<Record<string, unknown>>((resolve, reject) => {
      timer = setTimeout(
        () => reject(new FanfareError('fault', `\`${name}\` did not start within ${START_TIMEOUT_MS} ms.`)),
        START_TIMEOUT_MS,
      )
      child.once('error', reject)
      child.once('exit', (code) => reject(new FanfareError('fault', `\`${name}\` ended with exit code ${code} before it was ready.`)))
      lines.once('line', (line) => resolve(JSON.parse(line)))
    })
  } catch (error) {
    child.kill('SIGKILL')
    throw error
  } finally {
    clearTimeout(timer)
    lines.close()
  }
}

async function stop(child: ChildProcess, exited: Promise<void>): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  child.kill('SIGTERM')
  const timer = setTimeout(() => child.kill('SIGKILL'), STOP_TIMEOUT_MS)
  await exited
  clearTimeout(timer)
}
