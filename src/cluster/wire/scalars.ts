/** The small values that messages are made of, bounded. */
import { z } from 'zod'

/** Any finite number; gauges are signed changes. */
export const number = z.number()
/** A number that counts things, or places in a list. */
export const count = z.int().nonnegative()
/** Names of kinds, hosts, addresses. */
export const name = z.string().max(1_024)
/** Something said to people. */
export const sentence = z.string().max(16_384)

/** JSON has no undefined: a figure that is not there travels as `null`. */
export const absentAsNull = z.codec(
  z.number().nullable(),
  z.custom<number | undefined>((value) => value === undefined || typeof value === 'number'),
  { decode: (value) => value ?? undefined, encode: (value) => value ?? null },
)
