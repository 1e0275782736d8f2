/**
 * The only file with conversion factors. Everything inside fanfare is microseconds, bytes and counts;
 * other units exist at the edges: settings (ms, s), metrics (seconds), people (whatever reads best).
 */

export const US_PER_MS = 1_000
export const US_PER_SECOND = 1_000_000
export const MS_PER_SECOND = 1_000
export const NS_PER_US = 1_000
export const SECONDS_PER_MINUTE = 60
export const US_PER_HOUR = 3_600 * US_PER_SECOND
export const BYTES_PER_KB = 1_024
export const BYTES_PER_MB = 1_024 * 1_024

export const msToUs = (ms: number): number => ms * US_PER_MS
export const usToMs = (us: number): number => us / US_PER_MS
export const usToSeconds = (us: number): number => us / US_PER_SECOND
export const secondsToUs = (seconds: number): number => seconds * US_PER_SECOND
export const msToSeconds = (ms: number): number => ms / MS_PER_SECOND
export const secondsToMs = (seconds: number): number => seconds * MS_PER_SECOND
export const mbToBytes = (mb: number): number => mb * BYTES_PER_MB
