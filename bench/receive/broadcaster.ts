/**
 * Who broadcasts while receivers are measured: the C program `blaster` of LIMITS_DIR when there is one and gcc, else a plain
 * Node process. Both take PORT CLIENTS PROBES GAP_US BATCH, wait for the clients, acknowledge as rango does, and then write one
 * block of BATCH frames to every client every GAP_US × BATCH.
 */
import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync } from 'node:fs'
import type { AddressInfo } from 'node:net'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

export const RUN_ID = 'limits00'
export const STREAM = `public.${RUN_ID}`

export interface Shape {
  readonly clients: number
  readonly probes: number
  readonly gapUs: number
  /** Frames in one write. */
  readonly batch: number
}

/** Folder with the built C programs, or undefined with a sentence why there are none. */
export function buildLimits(): { folder: string } | { folder: undefined; why: string } {
  const source = process.env.LIMITS_DIR
  if (source === undefined) return { folder: undefined, why: 'LIMITS_DIR names no folder with blaster.c and floor.c: no C floor' }
  if (!existsSync(join(source, 'floor.c'))) return { folder: undefined, why: `no floor.c in ${source}: no C floor` }
  if (spawnSync('gcc', ['--version']).status !== 0) return { folder: undefined, why: 'no gcc: no C floor' }
  const folder = mkdtempSync(join(tmpdir(), 'fanfare-limits-'))
  for (const program of ['blaster', 'floor']) execFileSync('gcc', ['-O2', '-w', '-o', join(folder, program), join(source, `${program}.c`)])
  return { folder }
}

/** Starts the broadcaster; it ends by itself some seconds after its last probe, or when it is killed. */
export async function startBroadcaster(shape: Shape, limits: string | undefined): Promise<{ port: number; child: ChildProcess }> {
  const port = await freePort()
  const numbers = [port, shape.clients, shape.probes, shape.gapUs, shape.batch].map(String)
  const child =
    limits === undefined
      ? spawn(process.execPath, [...process.execArgv, fileURLToPath(new URL('node-blaster.ts', import.meta.url)), ...numbers], {
          stdio: 'ignore',
        })
      : spawn(join(limits, 'blaster'), numbers, { stdio: 'ignore' })
  await listening(port)
  return { port, child }
}

async function freePort(): Promise<number> {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  await new Promise((resolve) => server.close(resolve))
  return port
}

/** Looks at the kernel's table of listeners instead of connecting: the broadcaster counts connections. */
async function listening(port: number): Promise<void> {
  const needle = `:${port.toString(16).toUpperCase().padStart(4, '0')} `
  const { readFile } = await import('node:fs/promises')
  const { setTimeout: sleep } = await import('node:timers/promises')
  for (let attempt = 0; attempt < 500; attempt++) {
    const tables = await Promise.all(['/proc/net/tcp', '/proc/net/tcp6'].map((path) => readFile(path, 'utf8').catch(() => '')))
    if (
      tables
        .join('\n')
        .split('\n')
        .some((line) => line.includes(needle) && / 0A /.test(line))
    )
      return
    await sleep(10)
  }
  throw new Error(`the broadcaster does not listen on port ${port}`)
}
