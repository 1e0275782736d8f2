/**
 * What a container may use: memory and CPU limits of the control groups this process is in, version 1 or 2. A limit may
 * sit in any group above, so the tightest on the way up counts. It reads files through a function and knows no paths but
 * the kernel's.
 */

/** The text of a file, or undefined when it cannot be read. */
export type ReadText = (path: string) => string | undefined

export interface CgroupLimits {
  /** undefined: no limit, or none visible. */
  readonly memoryLimitBytes: number | undefined
  /** Used by the group that sets the memory limit, without what the kernel would give back (page cache). */
  readonly memoryUsedBytes: number | undefined
  /** Cores' worth of CPU time; undefined: no limit. */
  readonly cpuQuota: number | undefined
}

const ROOT = '/sys/fs/cgroup'

interface MemoryGroup {
  readonly limitBytes: number
  readonly usedBytes: number
}

export function readCgroupLimits(readText: ReadText): CgroupLimits {
  const paths = groupPaths(readText('/proc/self/cgroup') ?? '')
  const memory = [
    ...ancestors(paths.unified).map((group) => memoryOfV2(readText, ROOT + group)),
    ...ancestors(paths.memory).map((group) => memoryOfV1(readText, `${ROOT}/memory${group}`)),
  ].filter((group) => group !== undefined)
  const quotas = [
    ...ancestors(paths.unified).map((group) => quotaOfV2(readText(`${ROOT}${group}/cpu.max`))),
    ...ancestors(paths.cpu).map((group) => quotaOfV1(readText, `${ROOT}/cpu${group}`)),
  ].filter((quota) => quota !== undefined)
  const tightest = memory.toSorted((a, b) => a.limitBytes - a.usedBytes - (b.limitBytes - b.usedBytes))[0]
  return {
    memoryLimitBytes: tightest?.limitBytes,
    memoryUsedBytes: tightest?.usedBytes,
    cpuQuota: quotas.length === 0 ? undefined : Math.min(...quotas),
  }
}

/** `4:memory:/docker/1f…` and `0::/…`: where this process sits in each hierarchy. */
function groupPaths(text: string): { unified: string; memory: string; cpu: string } {
  const lines = text.split('\n').map((line) => line.split(':'))
  const pathOf = (controller: string) =>
    lines
      .find((line) => line[1]?.split(',').includes(controller))
      ?.slice(2)
      .join(':') ?? '/'
  return { unified: pathOf(''), memory: pathOf('memory'), cpu: pathOf('cpu') }
}

/** A group and all above it; the root last, as the empty text. Inside a container the path may be the host's, and only the root is there. */
function ancestors(path: string): string[] {
  const parts = path.split('/').filter((part) => part !== '')
  return [...parts.map((_, index) => `/${parts.slice(0, parts.length - index).join('/')}`), '']
}

function memoryOfV2(readText: ReadText, folder: string): MemoryGroup | undefined {
  const limitBytes = integerIn(readText(`${folder}/memory.max`))
  if (limitBytes === undefined) return undefined
  return { limitBytes, usedBytes: used(readText(`${folder}/memory.current`), readText(`${folder}/memory.stat`), 'inactive_file') }
}

/** Version 1 writes "no limit" as a number near 2^63. */
const NO_LIMIT_BYTES = 2 ** 60

function memoryOfV1(readText: ReadText, folder: string): MemoryGroup | undefined {
  const limitBytes = integerIn(readText(`${folder}/memory.limit_in_bytes`))
  if (limitBytes === undefined || limitBytes > NO_LIMIT_BYTES) return undefined
  return {
    limitBytes,
    usedBytes: used(readText(`${folder}/memory.usage_in_bytes`), readText(`${folder}/memory.stat`), 'total_inactive_file'),
  }
}

function used(usage: string | undefined, stat: string | undefined, cacheName: string): number {
  const cacheBytes = integerIn(new RegExp(`^${cacheName} (\\d+)$`, 'm').exec(stat ?? '')?.[1]) ?? 0
  return Math.max(0, (integerIn(usage) ?? 0) - cacheBytes)
}

/** `max 100000` or `250000 100000`: microseconds of CPU time per microseconds. */
function quotaOfV2(text: string | undefined): number | undefined {
  const [quota, period] = (text ?? '').trim().split(/\s+/).map(integerIn)
  return quota === undefined || period === undefined ? undefined : quota / period
}

/** Version 1 writes "no limit" as −1. */
function quotaOfV1(readText: ReadText, folder: string): number | undefined {
  const quota = integerIn(readText(`${folder}/cpu.cfs_quota_us`))
  const period = integerIn(readText(`${folder}/cpu.cfs_period_us`))
  return quota === undefined || period === undefined ? undefined : quota / period
}

/** The whole number that a file of the kernel holds; undefined for anything else, `max` and −1 among it. */
export function integerIn(text: string | undefined): number | undefined {
  const digits = text?.trim() ?? ''
  return /^\d+$/.test(digits) ? Number(digits) : undefined
}
