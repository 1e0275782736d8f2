/** Where the run took place. The one group that is read from the machine instead of the result. */
import { availableParallelism, cpus, release, totalmem, type } from 'node:os'
import type { Report } from '../schema.ts'

/** `version` is fanfare's own. */
export const readEnvironment = (version: string): Report['environment'] => ({
  node: process.versions.node,
  os: `${type()} ${release()} ${process.arch}`,
  cpus: availableParallelism(),
  cpuModel: cpus()[0]?.model,
  memoryBytes: totalmem(),
  version,
})
