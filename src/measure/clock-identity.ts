/**
 * Whether two processes read the same clock: CLOCK_MONOTONIC is one per boot and time namespace of Linux. Two equal names are not proof
 * (containers may see the host's boot id), so an exchange must agree as well.
 */
import { readFileSync, readlinkSync } from 'node:fs'
import { type Exchange, offsetInterval } from './offset.ts'

/** Plain data that travels to the other process; undefined parts are unknown (not Linux, or hidden). */
export interface ClockIdentity {
  readonly bootId: string | undefined
  readonly timeNamespace: string | undefined
}

/** Of this process. Never throws. */
export const readClockIdentity = (): ClockIdentity => ({
  bootId: orUndefined(() => readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim()),
  timeNamespace: orUndefined(() => readlinkSync('/proc/self/ns/time')),
})

/**
 * Whether the clocks behind two identities are one: both names are known and equal, and the exchange allows an offset of zero. Then the
 * offset is zero, and the bound is that of reading the clocks.
 */
export function isSameClock(ours: ClockIdentity, theirs: ClockIdentity, exchange: Exchange): boolean {
  const areNamesEqual =
    ours.bootId !== undefined &&
    ours.timeNamespace !== undefined &&
    ours.bootId === theirs.bootId &&
    ours.timeNamespace === theirs.timeNamespace
  const interval = offsetInterval(exchange)
  return areNamesEqual && interval !== undefined && interval.lowestUs <= 0 && interval.highestUs >= 0
}

function orUndefined(read: () => string): string | undefined {
  try {
    return read()
  } catch {
    return undefined
  }
}
