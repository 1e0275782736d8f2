/**
 * What this machine has: limits, ports, memory, cores, read once from the operating system. A thin reader; what the facts
 * mean for a run is decided in `preflight.ts`. What cannot be seen is undefined, never a guess.
 */
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmdirSync } from 'node:fs'
import { createServer } from 'node:net'
import { availableParallelism } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { describeError } from '../errors.ts'
import { BYTES_PER_KB } from '../units.ts'
import { integerIn, type ReadText, readCgroupLimits } from './cgroup.ts'

export interface SystemFacts {
  /**
   * The limits of open files in force in this process; Infinity when unlimited. Node raises its soft limit to the hard one
   * when it starts, so this is not what `ulimit -n` says in the shell.
   */
  readonly descriptors: { readonly soft: number; readonly hard: number; readonly open: number } | undefined
  /** Ports for outgoing connections, both included. */
  readonly localPorts: { readonly first: number; readonly last: number } | undefined
  /** Memory that can be had: the machine's, or what the container's limit leaves. */
  readonly memory: { readonly availableBytes: number; readonly limitedBy: 'machine' | 'container' } | undefined
  readonly cores: number
  /** Cores' worth of CPU time the container may use. */
  readonly cpuQuota: number | undefined
  /** Longest queue of connections that a server of this machine has not accepted yet. */
  readonly listenBacklog: number | undefined
  readonly trackedConnections: { readonly max: number; readonly now: number } | undefined
  readonly timeWaitSockets: number | undefined
}

/** Reads everything. `readText` is the only way in, so a test can stand for any machine. */
export function readSystemFacts(readText: ReadText = readFile): SystemFacts {
  const cgroup = readCgroupLimits(readText)
  return {
    descriptors: descriptors(readText('/proc/self/limits')),
    localPorts: localPorts(readText('/proc/sys/net/ipv4/ip_local_port_range')),
    memory: memory(readText('/proc/meminfo'), cgroup),
    cores: availableParallelism(),
    cpuQuota: cgroup.cpuQuota,
    listenBacklog: integerIn(readText('/proc/sys/net/core/somaxconn')),
    trackedConnections: trackedConnections(
      integerIn(readText('/proc/sys/net/netfilter/nf_conntrack_max')),
      integerIn(readText('/proc/sys/net/netfilter/nf_conntrack_count')),
    ),
    timeWaitSockets: integerIn(/^TCP:.* tw (\d+)/m.exec(readText('/proc/net/sockstat') ?? '')?.[1]),
  }
}

/**
 * Why reports cannot be written below `folder`, or undefined. It makes a folder for a moment in the nearest one that exists,
 * because permission bits say nothing about read-only disks, or to root.
 */
export function reportDirProblem(folder: string): string | undefined {
  let existing = resolve(folder)
  while (!existsSync(existing) && dirname(existing) !== existing) existing = dirname(existing)
  try {
    rmdirSync(mkdtempSync(join(existing, '.fanfare-')))
    return undefined
  } catch (error) {
    return `${folder}: ${describeError(error)}`
  }
}

/** Those of `addresses` that this machine cannot dial from, with the system's reason. Binds each for a moment; sends nothing. */
export async function unusableAddresses(addresses: readonly string[]): Promise<{ address: string; why: string }[]> {
  const problems = await Promise.all(addresses.map(async (address) => ({ address, why: await bindProblem(address) })))
  return problems.filter((problem): problem is { address: string; why: string } => problem.why !== undefined)
}

function bindProblem(address: string): Promise<string | undefined> {
  return new Promise((settle) => {
    const server = createServer()
    server.once('error', (error: NodeJS.ErrnoException) => settle(error.code ?? describeError(error)))
    server.listen({ host: address, port: 0, exclusive: true }, () => server.close(() => settle(undefined)))
  })
}

const readFile: ReadText = (path) => {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return undefined
  }
}

function descriptors(limits: string | undefined): SystemFacts['descriptors'] {
  const [, soft, hard] = /^Max open files\s+(\S+)\s+(\S+)/m.exec(limits ?? '') ?? []
  if (soft === undefined || hard === undefined) return undefined
  return { soft: limitIn(soft), hard: limitIn(hard), open: openDescriptors() }
}

/** 0 where the system does not show them. */
function openDescriptors(): number {
  try {
    return readdirSync('/proc/self/fd').length
  } catch {
    return 0
  }
}

const limitIn = (text: string): number => (text === 'unlimited' ? Number.POSITIVE_INFINITY : Number(text))

function localPorts(text: string | undefined): SystemFacts['localPorts'] {
  const [, first, last] = /^\s*(\d+)\s+(\d+)/.exec(text ?? '') ?? []
  return first === undefined || last === undefined ? undefined : { first: Number(first), last: Number(last) }
}

function memory(meminfo: string | undefined, cgroup: ReturnType<typeof readCgroupLimits>): SystemFacts['memory'] {
  const availableKb = integerIn(/^MemAvailable:\s+(\d+) kB/m.exec(meminfo ?? '')?.[1])
  const machineBytes = availableKb === undefined ? Number.POSITIVE_INFINITY : availableKb * BYTES_PER_KB
  const containerBytes =
    cgroup.memoryLimitBytes === undefined ? Number.POSITIVE_INFINITY : cgroup.memoryLimitBytes - (cgroup.memoryUsedBytes ?? 0)
  const availableBytes = Math.min(machineBytes, containerBytes)
  if (!Number.isFinite(availableBytes)) return undefined
  return { availableBytes, limitedBy: containerBytes < machineBytes ? 'container' : 'machine' }
}

const trackedConnections = (max: number | undefined, now: number | undefined): SystemFacts['trackedConnections'] =>
  max === undefined ? undefined : { max, now: now ?? 0 }
