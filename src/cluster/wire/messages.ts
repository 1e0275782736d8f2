/**
 * Everything that a coordinator and its replicas say to each other, as schemas: what is sent is checked before it leaves and again where
 * it arrives, and every part is bounded. It knows nothing of queues.
 */
import { z } from 'zod'
import { type ErrorCode, errorTable } from '../../errors.ts'
import { phases } from '../../run/result.ts'
import { heardProbes, logPiece } from './log-codec.ts'
import { planMessage } from './plan-codec.ts'
import { count, name, number, sentence } from './scalars.ts'
import { snapshotCodec } from './snapshot-codec.ts'

/** Both sides must speak the same one; raised when a message changes its meaning or shape. */
export const CONTROL_VERSION = 1

const errorCode = z.enum(Object.keys(errorTable) as [ErrorCode, ...ErrorCode[]])
const request = count
const clockIdentity = z.strictObject({ bootId: name.nullable(), timeNamespace: name.nullable() })

const usage = z.strictObject({ cpuSeconds: number, rssBytes: count })
const clockState = z.strictObject({ isShared: z.boolean(), offsetUs: number, boundUs: number, steps: count })

export const fromReplica = z.discriminatedUnion('type', [
  z.strictObject({
    type: z.literal('join'),
    name,
    version: name,
    wsPoolSize: count,
    /** Of settings that were given and that the plan decides; by variable. */
    settingDigests: z.record(name, name),
    clock: clockIdentity,
  }),
  /** The share can be dialed: threads stand, the machine can hold it. */
  z.strictObject({ type: z.literal('prepared') }),
  z.strictObject({ type: z.literal('cannot'), code: errorCode, text: sentence }),
  /** What happened since the last one; `died` names all threads that ever did. */
  z.strictObject({ type: z.literal('snapshot'), snapshot: snapshotCodec, usage, clock: clockState, died: z.array(sentence).max(1_024) }),
  /** Comes after the snapshots that hold what was asked for. */
  z.strictObject({ type: z.literal('answer'), request, heard: heardProbes }),
  /** It was told to stop by somebody else. */
  z.strictObject({ type: z.literal('leaving'), why: sentence }),
  /** How soon the clock of the other side can be asked and read; `askedUs` comes back. */
  z.strictObject({ type: z.literal('clock-ask'), askedUs: number }),
])

export const fromCoordinator = z.discriminatedUnion('type', [
  z.strictObject({ type: z.literal('welcome'), version: name, clock: clockIdentity, notices: z.array(sentence).max(64) }),
  z.strictObject({ type: z.literal('refused'), text: sentence }),
  z.strictObject({ type: z.literal('plan'), plan: planMessage }),
  z.strictObject({ type: z.literal('phase'), phase: z.enum(phases) }),
  z.strictObject({ type: z.literal('connect'), startUs: number }),
  z.strictObject({ type: z.literal('stop-connecting') }),
  z.strictObject({ type: z.literal('refresh'), request }),
  z.strictObject({ type: z.literal('log'), piece: logPiece }),
  z.strictObject({ type: z.literal('hear'), request }),
  z.strictObject({ type: z.literal('expect'), request, heard: heardProbes }),
  z.strictObject({ type: z.literal('settle'), request, heard: heardProbes, drainEndedUs: number }),
  z.strictObject({ type: z.literal('close'), request }),
  /** The run is over; `text` and `code` say why it never was one. */
  z.strictObject({ type: z.literal('dismiss'), code: errorCode.nullable(), text: sentence }),
  z.strictObject({ type: z.literal('clock-tell'), askedUs: number, heardUs: number, toldUs: number }),
])

export type FromReplica = z.output<typeof fromReplica>
export type FromCoordinator = z.output<typeof fromCoordinator>
