/**
 * Numbers as people read them: the one place where a figure gets its unit, its thousands separators and its three
 * significant digits. It knows nothing of what a figure means.
 */
import { BYTES_PER_KB, MS_PER_SECOND, SECONDS_PER_MINUTE, US_PER_HOUR, US_PER_MS, US_PER_SECOND } from '../units.ts'

const MINUS = '−'
const US_PER_MINUTE = SECONDS_PER_MINUTE * US_PER_SECOND

/** Three significant digits, never in exponents: 1234.5 → `1,235`, 38.24 → `38.2`, 1.5 → `1.5`. */
export const formatNumber = (value: number): string => {
  if (value < 0) return MINUS + formatNumber(-value)
  if (value >= 100 || value === 0) return Math.round(value).toLocaleString('en-US')
  return String(Number(value.toPrecision(3)))
}

export const formatCount = (count: number): string => (count < 0 ? MINUS : '') + Math.abs(Math.round(count)).toLocaleString('en-US')

/** `1 client`, `1,000 clients`. */
export const formatCounted = (count: number, one: string, many = `${one}s`): string => `${formatCount(count)} ${count === 1 ? one : many}`

/** Microseconds as `820 µs`, `38.2 ms`, `1.52 s`, `2 min 5 s` or `1 h 2 min`. */
export function formatDuration(us: number): string {
  if (us < 0) return MINUS + formatDuration(-us)
  if (us < 999.5) return `${formatNumber(us)} µs`
  if (us < 999.5 * US_PER_MS) return `${formatNumber(us / US_PER_MS)} ms`
  if (us < 59.95 * US_PER_SECOND) return `${formatNumber(us / US_PER_SECOND)} s`
  if (us < US_PER_HOUR - US_PER_SECOND / 2) {
    const seconds = Math.round(us / US_PER_SECOND)
    return `${Math.floor(seconds / SECONDS_PER_MINUTE)} min ${seconds % SECONDS_PER_MINUTE} s`
  }
  const minutes = Math.round(us / US_PER_MINUTE)
  return `${Math.floor(minutes / SECONDS_PER_MINUTE)} h ${minutes % SECONDS_PER_MINUTE} min`
}

export const formatDurationMs = (ms: number): string => formatDuration(ms * US_PER_MS)
export const formatDurationS = (seconds: number): string => formatDurationMs(seconds * MS_PER_SECOND)

/** Time since the start of a run, always to the same digit so that it can be watched: `4.0 s`, `1 min 30 s`. */
export const formatElapsed = (ms: number): string =>
  ms < SECONDS_PER_MINUTE * MS_PER_SECOND ? `${(ms / MS_PER_SECOND).toFixed(1)} s` : formatDurationMs(ms)

export const formatRate = (perSecond: number): string => `${formatNumber(perSecond)}/s`

/** A figure of a threshold in its unit. */
export const formatInUnit = (value: number, unit: 'us' | 'count' | 'perSecond'): string => {
  if (unit === 'us') return formatDuration(value)
  return unit === 'count' ? formatCount(value) : formatRate(value)
}

/** A share as `87 %`. Anything short of all never reads `100 %`, anything above none never reads `0 %`. */
export function formatShare(ratio: number): string {
  const percent = ratio * 100
  if (percent <= 0 || percent >= 100) return `${formatNumber(percent)} %`
  if (percent < 99) return `${Number(percent.toPrecision(3))} %`
  const decimals = Math.min(12, 1 + Math.ceil(-Math.log10(100 - percent)))
  const scale = 10 ** Math.max(0, decimals)
  return `${Math.floor(percent * scale) / scale} %`
}

/** Bytes as `512 B`, `4.5 KB`, `1.2 GB` (1 KB is 1,024 bytes). */
export function formatBytes(bytes: number): string {
  const units = ['B', 'KB', 'MB', 'GB', 'TB']
  let [value, unit] = [bytes, 0]
  while (value >= BYTES_PER_KB && unit < units.length - 1) {
    value /= BYTES_PER_KB
    unit += 1
  }
  return `${formatNumber(value)} ${units[unit]}`
}
