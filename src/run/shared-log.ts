/**
 * The publisher's log in memory that threads share.
 */
import type { Plan } from '../config/plan.ts'
import { assert } from '../errors.ts'
import type { PublisherLog } from '../measure/publisher-log.ts'

/** One row per measured stream, all probes absent. Nine bytes a probe. */
export function sharedLog({ streams, publish: { countPerStream } }: Plan): PublisherLog {
  assert(countPerStream !== undefined, 'a plan without a number of probes has no publisher')
  return {
    streams: streams.map(({ index }) => ({
      stream: index,
      count: countPerStream,
      sentUs: new Float64Array(new SharedArrayBuffer(countPerStream * Float64Array.BYTES_PER_ELEMENT)),
      states: new Uint8Array(new SharedArrayBuffer(countPerStream)),
    })),
  }
}
