/**
 * The report, `fanfare.report/1`, as a zod schema: the type, the check of files read back, and `docs/report.schema.json` are
 * all made from it. Every group carries its unit in its name. What a run cannot know is absent, never zero. Within major
 * version 1 groups and fields are only added, as optional ones, so that every older report stays readable.
 */
import { z } from 'zod'
import { outcomes } from './verdict.ts'

export const REPORT_SCHEMA = 'fanfare.report/1'

const count = z.int().nonnegative()
const us = z.number()
const ratePerSecond = z.number().nonnegative()
const countByName = z.record(z.string(), count)
/** Microseconds on the run clock made milliseconds since `startedAt`. */
const atMs = z.number().describe('milliseconds since startedAt')

const summaryShape = {
  count,
  min: us.optional(),
  mean: us.optional(),
  stddev: us.optional(),
  p50: us.optional(),
  p90: us.optional(),
  p95: us.optional(),
  p99: us.optional(),
  p999: us.optional(),
  p9999: us.optional(),
  max: us.optional(),
}
const summary = z.object(summaryShape).describe('microseconds; a percentile with fewer than ten samples beyond it is absent')
const summaryWithBound = z
  .object({ ...summaryShape, boundUs: us.describe('uncertainty of the clock: each figure is right within ± this').optional() })
  .describe('microseconds; a percentile with fewer than ten samples beyond it is absent')

const reason = z.object({ code: z.string(), text: z.string() })

const check = z.object({
  name: z.string().describe('as it was asked for: p99<250ms'),
  ok: z.boolean(),
  unit: z.enum(['us', 'count', 'perSecond']).describe('of limit and actual'),
  limit: z.number().optional(),
  actual: z.number().optional().describe('absent when the figure is unknown or not reached'),
  why: z.string().optional().describe('why there is no figure to compare'),
})

const clients = z.object({
  wanted: count.describe('the roster'),
  opened: count,
  ready: count.describe('the subscription was acknowledged'),
  failed: count.describe('never became ready'),
  disconnected: count.describe('open connections that were lost'),
  reconnected: count.optional(),
  heardNothing: count.optional().describe('ready clients that heard no measured probe'),
  errorsByCode: countByName,
  errorTexts: z.record(z.string(), z.string()).optional().describe('by code, what one of them said'),
  endings: countByName.optional().describe('WebSocket close codes and HTTP statuses'),
})

const connect = z.object({
  ratePerSecond: ratePerSecond.optional().describe('clients made ready, from the first dial to the last ready'),
  latencyUs: summary.describe('dial → open'),
  readyLatencyUs: summary.describe('open → subscription acknowledged'),
})

const latenessByCause = z.record(z.string(), z.object({ count, totalUs: us, maxUs: us }))

const publish = z.object({
  scheduled: count,
  published: count,
  skipped: count,
  confirmed: count,
  returned: count,
  nacked: count,
  unknown: count,
  resent: count,
  targetRatePerSecond: ratePerSecond.optional().describe('absent when pacing is closed'),
  achievedRatePerSecond: ratePerSecond.optional(),
  durationMs: z.number().optional().describe('from the first to the last probe handed to the broker'),
  connectionLosses: count.optional(),
  blocked: z.array(z.object({ startMs: atMs, endMs: atMs.optional(), reason: z.string().optional() })),
  latenessUs: summary.describe('sent − intended'),
  latenessByCause,
  confirmLatencyUs: summary,
})

const deliveries = z.object({
  expected: count.describe('delivered + missed + lost + unaccounted'),
  delivered: count,
  missed: count,
  lost: count,
  unaccounted: count,
  duplicated: count,
  redelivered: count.optional(),
  outOfOrder: count,
  early: count,
  late: count,
  unexpected: count,
  foreign: count,
  negativeLatency: count,
  resentDuplicates: count.optional(),
  resentOutOfOrder: count.optional(),
  offeredPerSecond: ratePerSecond.optional().describe('deliveries owed per second of publishing'),
  ratePerSecond: ratePerSecond.optional().describe('from the first to the last delivery'),
  timeToEmptyMs: z.number().nonnegative().optional().describe('from the last publish to the last delivery'),
})

/** The books of probes outside the figures. */
const sideBooks = z.object({ delivered: count, duplicated: count, early: count, late: count })

const fanout = z.object({
  probes: count.describe('probes owed to at least one client'),
  incomplete: count.describe('probes that not every client owed them has heard'),
  firstUs: summary.describe('intended → first client'),
  completionUs: summary.describe('intended → last client, complete probes only'),
  spreadUs: summary.describe('first → last client, complete probes only'),
  boundUs: us.optional().describe('combined uncertainty of the clocks a fan-out spans'),
  capped: count.optional().describe('deliveries left out of the figures of this group, because the number of its rows is capped'),
})

const worstProbe = z.object({
  stream: count,
  sequence: count,
  missing: count,
  firstUs: us.optional(),
  completionUs: us.optional().describe('intended → the last client that heard it'),
})

const worstClient = z.object({
  index: count,
  replica: count,
  target: count,
  localAddress: z.string(),
  localPort: count,
  expected: count,
  delivered: count,
  missing: count.describe('missed + lost'),
  missed: count,
  lost: count,
  duplicated: count,
  outOfOrder: count,
  early: count,
  late: count,
  unexpected: count,
  lastSequence: z.int().describe('highest sequence heard, −1 for none'),
  endCode: z.string().optional(),
  closeCode: count.optional(),
  endedAtMs: atMs.optional(),
  passBusyUs: us.optional().describe("how busy the tester's loop pass was when the connection ended"),
})

const tester = z.object({
  health: z.enum(['healthy', 'suspect', 'bound']),
  reasons: z.array(z.string()),
  cpuSeconds: z.number().optional().describe('user + system, all threads, from the ready barrier to the end of the drain'),
  loopDelayUs: summary,
  passBusyUs: summary.optional().describe('per delivery: how long its loop pass had been busy'),
  loopUtilisation: z.array(
    z.object({
      replica: count,
      thread: z.int().describe('receiver threads from 0; −1 the main thread, −2 the publisher'),
      role: z.string(),
      ratio: z.number().describe('busy time of the event loop ÷ time'),
    }),
  ),
  framesPerRead: z.number().optional(),
  rssBytes: count.optional(),
  bytesPerClient: z.number().optional(),
  ledgerBytes: count.optional(),
})

const encodedHistograms = z
  .record(z.string(), z.string())
  .describe('HDR V2 compressed, base64, microseconds; `…Negative` holds values below zero by their size')

const replica = z.object({
  replica: count,
  name: z.string(),
  clients,
  connect,
  deliveries,
  latencyUs: summaryWithBound,
  serviceLatencyUs: summaryWithBound,
  framesPerRead: z.number().optional(),
  clockBoundUs: us,
  histograms: encodedHistograms.optional(),
})

const target = z.object({
  target: count.describe('index into WS_ADDR'),
  url: z.string(),
  opened: count,
  ready: count,
  failed: count,
  disconnected: count,
  delivered: count,
  latencyUs: summary,
})

const stream = z.object({
  index: count.describe('as tokens spell it'),
  name: z.string(),
  clients: count.describe('clients that have it and were ready'),
  expected: count,
  delivered: count,
  missed: count,
  lost: count,
})

const timelineSecond = z.object({
  atMs,
  published: count.optional(),
  delivered: count,
  ready: count.describe('clients open and ready at the end of the second'),
  opened: count.optional().describe('sockets opened in the second'),
  disconnected: count.optional().describe('connections lost in the second'),
  latencyUs: z.object({ p50: us.optional(), p99: us.optional(), max: us.optional() }),
  latencyBuckets: z
    .array(z.tuple([count, count]))
    .describe('[index into latencyBucketBoundsUs, deliveries] where there were any; an index one past the last bound is beyond it'),
})

export const reportSchema = z.object({
  schema: z.literal(REPORT_SCHEMA),
  runId: z.string(),
  startedAt: z.iso.datetime(),
  durationMs: z.number().nonnegative(),
  stopReason: z.enum(['complete', 'quiet', 'deadline', 'signal', 'target-lost', 'broker-lost', 'failed']),
  pacing: z.enum(['open', 'closed']).optional().describe('absent when another program publishes'),
  verdict: z.object({
    outcome: z.enum(outcomes),
    exitCode: z.int(),
    reasons: z.array(reason),
    checks: z.array(check),
    warnings: z.array(reason),
  }),
  settings: z
    .record(z.string(), z.union([z.string(), z.number(), z.boolean(), z.null()]))
    .describe('by environment variable, null when not set; secrets are redacted'),
  environment: z.object({
    node: z.string(),
    os: z.string(),
    cpus: count,
    cpuModel: z.string().optional(),
    memoryBytes: count,
    version: z.string().describe('of fanfare'),
  }),
  clients,
  connect,
  publish: publish.optional().describe('absent when another program publishes'),
  deliveries,
  warmup: sideBooks.optional(),
  canary: sideBooks.optional(),
  otherFrames: countByName.optional().describe('frames that held no probe, by kind'),
  latencyUs: summaryWithBound.describe('received − intended'),
  serviceLatencyUs: summaryWithBound.describe('received − sent'),
  sentinelLatencyUs: summaryWithBound.optional().describe('received − intended, sentinels only'),
  fanout,
  worst: z.object({ probes: z.array(worstProbe), clients: z.array(worstClient) }),
  tester,
  clock: z.object({
    shared: z.boolean().describe('all processes read one clock'),
    boundUs: us,
    offsets: z
      .array(
        z.object({
          replica: count,
          offsetUs: us.describe("CLOCK_MONOTONIC of the coordinator minus the replica's, in the end"),
          boundUs: us.describe('how far the corrected clock was off at most while figures were taken'),
          steps: count.optional().describe('times the offset was found to have jumped'),
        }),
      )
      .describe('replicas whose clock is not the coordinator’s'),
  }),
  targets: z.array(target).optional(),
  streams: z.array(stream).optional().describe('the books of each stream; of very many only those that miss most'),
  replicas: z.array(replica),
  latencyBucketBoundsUs: z.array(us).describe('upper bounds of the buckets of timeline[].latencyBuckets'),
  timeline: z.array(timelineSecond),
  histograms: encodedHistograms,
})

export type Report = z.infer<typeof reportSchema>
export type Summary = z.infer<typeof summary>
