/**
 * Which bucket a value falls in: the layout of HdrHistogram for 1 µs to 1 h with three significant digits, so that counts
 * can be encoded in its standard format as they are. Buckets are 1 µs wide below 2,048 µs and twice as wide in each octave above.
 */
import { US_PER_HOUR } from '../units.ts'

/** The largest value that has a bucket of its own; larger ones fall in the last. */
export const HIGHEST_US = US_PER_HOUR
/** Single-unit resolution up to 2 × 10^3 (three digits), rounded up to a power of two. */
const SUB_BUCKETS = 2_048
export const HALF_BUCKETS = SUB_BUCKETS / 2
const HALF_BUCKET_BITS = 10
const SUB_BUCKET_MASK = SUB_BUCKETS - 1
/** Leading zeros of the largest value of the first, finest octave. */
const FINEST_LEADING_ZEROS = Math.clz32(SUB_BUCKET_MASK)

/** The bucket of a whole number of microseconds from 0 to HIGHEST_US. On the hot path: it is inlined into `Histogram.record`. */
export function bucketOf(us: number): number {
  const octave = FINEST_LEADING_ZEROS - Math.clz32(us | SUB_BUCKET_MASK)
  return (octave << HALF_BUCKET_BITS) + (us >>> octave)
}

/** Buckets in all. */
export const BUCKETS = bucketOf(HIGHEST_US) + 1

/** The smallest value of a bucket, microseconds. */
export function lowestOf(bucket: number): number {
  const octave = octaveOf(bucket)
  return (bucket - octave * HALF_BUCKETS) * 2 ** octave
}

/** The largest value of a bucket, microseconds: at most 1/1,024 above the smallest. */
export const highestOf = (bucket: number): number => lowestOf(bucket) + 2 ** octaveOf(bucket) - 1

const octaveOf = (bucket: number): number => Math.max(0, Math.floor(bucket / HALF_BUCKETS) - 1)
