/**
 * The plan as it travels: settings as texts of the settings table, everything that the coordinator has made concrete as it is. The
 * replica puts its own settings in, and its number.
 */
import { z } from 'zod'
import type { Plan } from '../../config/plan.ts'
import type { Settings } from '../../config/settings.ts'
import { planTexts, settingsFromPlan } from '../shared-settings.ts'
import { count, name, number } from './scalars.ts'

const MAX_STREAMS = 10_000
const MAX_REPLICAS = 10_000
const MAX_SETTING_CHARACTERS = 2_097_152

const share = z.strictObject({ firstClient: count, clients: count })

export const planMessage = z.strictObject({
  runId: z.string().regex(/^[0-9a-z]{8}$/),
  replica: count,
  settings: z.record(name, z.string().max(MAX_SETTING_CHARACTERS)),
  streams: z.array(z.strictObject({ index: count, name, routingKey: name })).max(MAX_STREAMS),
  publish: z.strictObject({
    countPerStream: count.nullable(),
    pace: z.discriminatedUnion('kind', [
      z.strictObject({ kind: z.literal('open'), gapUs: number }),
      z.strictObject({ kind: z.literal('closed') }),
    ]),
    catchUp: z.enum(['burst', 'skip']),
  }),
  roster: share,
  shares: z.array(share).max(MAX_REPLICAS),
  /** CLOCK_MONOTONIC of the coordinator to the run clock. */
  runClockOffsetUs: number,
})
export type PlanMessage = z.output<typeof planMessage>

/** @param replica whom it is for */
export function planToMessage({ settings, runId, streams, publish, roster, shares, runClockOffsetUs }: Plan, replica: number): PlanMessage {
  return {
    runId,
    replica,
    settings: planTexts(settings),
    streams: [...streams],
    publish: { ...publish, countPerStream: publish.countPerStream ?? null },
    roster,
    shares: [...shares],
    runClockOffsetUs,
  }
}

/**
 * @param own the replica's settings, of which it keeps its own ones
 * Undefined when a setting breaks the rules of this version.
 */
export function planFromMessage({ settings: texts, publish, ...rest }: PlanMessage, own: Settings): Plan | undefined {
  const settings = settingsFromPlan(texts, own)
  if (settings === undefined) return undefined
  return { ...rest, settings, publish: { ...publish, countPerStream: publish.countPerStream ?? undefined } }
}
