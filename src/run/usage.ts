/** What a process of ours has used so far: evidence about the tester, in the report beside the figures. */
import { usToSeconds } from '../units.ts'

export interface Usage {
  /** User + system time, all threads. */
  readonly cpuSeconds: number
  readonly rssBytes: number
}

/** Of this process. */
export function ownUsage(): Usage {
  const { user, system } = process.cpuUsage()
  return { cpuSeconds: usToSeconds(user + system), rssBytes: process.memoryUsage.rss() }
}

export const addUsage = (a: Usage, b: Usage): Usage => ({ cpuSeconds: a.cpuSeconds + b.cpuSeconds, rssBytes: a.rssBytes + b.rssBytes })
