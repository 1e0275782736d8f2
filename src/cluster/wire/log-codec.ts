/**
 * The publisher's log as it travels from the coordinator to the replicas, piece by piece, and probes without a confirm that somebody
 * heard. What is owed is computed from them where the clients are.
 */
import { z } from 'zod'
import { float64Column, uint8Column } from './columns.ts'
import { count } from './scalars.ts'

/** Rows of one piece: half a megabyte. */
export const MAX_LOG_ROWS = 65_536
const MAX_STREAMS = 10_000
/** Two thousand million probes are a stream's most. */
const MAX_HEARD = 4_194_304

/** Rows `from` to `from + states.length` of one stream. */
export const logPiece = z
  .strictObject({
    stream: count,
    /** Of the stream as a whole. */
    count,
    from: count,
    sentUs: float64Column(MAX_LOG_ROWS),
    states: uint8Column(MAX_LOG_ROWS),
  })
  .refine(({ count: rows, from, sentUs, states }) => sentUs.length === states.length && from + states.length <= rows)
export type LogPiece = z.output<typeof logPiece>

const sequences = z.codec(float64Column(MAX_HEARD), z.custom<readonly number[]>(), {
  decode: (column) => Array.from(column),
  encode: (list) => list,
})

export const heardProbes = z.array(z.strictObject({ stream: count, sequences })).max(MAX_STREAMS)
