/**
 * A parcel is what becomes of one probe for one client once its habits are decided: the bytes to write, what the account books
 * for them, and what the truth log notes. Pure; it says neither when nor to whom.
 */
import type { Broadcast } from '../broadcast-log.ts'
import { envelope } from '../envelope.ts'
import { textFrame } from '../frame.ts'
import type { Message } from '../message.ts'
import { probeFields } from '../truth.ts'
import { fragmentFrames } from './fragments.ts'
import type { DeliveryHabit } from './habit.ts'
import { intrude } from './intruder.ts'

type OfKind<K extends DeliveryHabit['kind']> = Extract<DeliveryHabit, { kind: K }>

export interface Note {
  readonly kind: string
  readonly details: Readonly<Record<string, unknown>>
}

export interface Parcel {
  /** The probe it is about. */
  readonly message: Message
  readonly frames: readonly Buffer[]
  /** Its writes as the account books them: one, or more when it is repeated. */
  readonly broadcasts: readonly Broadcast[]
  /** Noted when the bytes are written. */
  readonly notes: readonly Note[]
  /** What decides when it is written, and what is done afterwards. */
  readonly swap: OfKind<'swap'> | undefined
  readonly delay: OfKind<'delay'> | undefined
  readonly batch: OfKind<'batch'> | undefined
  readonly end: OfKind<'end'> | undefined
}

/** The parcel of a probe that meets these habits, or undefined when it is dropped. */
export function parcelOf(message: Message, habits: readonly DeliveryHabit[]): Parcel | undefined {
  const first = <K extends DeliveryHabit['kind']>(kind: K) => habits.find((habit): habit is OfKind<K> => habit.kind === kind)
  if (first('drop') !== undefined) return undefined
  const { broadcast } = message
  const named = probeFields(broadcast.stream, broadcast.probe)
  const fragment = first('fragment')
  const copies = first('repeat')?.copies ?? (first('repeat') === undefined ? 0 : 1)
  const whole = fragment === undefined ? [message.frame] : fragmentFrames(Buffer.from(envelope(broadcast.stream, message.body)), fragment)
  const frames: Buffer[] = []
  const notes: Note[] = []
  for (const insert of habits.filter((habit) => habit.kind === 'insert')) {
    const intrusion = intrude(insert, message)
    frames.push(intrusion.bytes)
    const beside = intrusion.named === undefined ? named : probeFields(intrusion.named.stream, intrusion.named.probe)
    notes.push({ kind: insert.what, details: { ...beside, bytes: intrusion.bytes.length } })
  }
  frames.push(...whole)
  if (fragment !== undefined) notes.push({ kind: 'fragment', details: { ...named, frames: whole.length } })
  for (let copy = 0; copy < copies; copy += 1) {
    frames.push(message.frame)
    notes.push({ kind: 'repeat', details: named })
  }
  return {
    message,
    frames,
    broadcasts: Array.from({ length: copies + 1 }, () => broadcast),
    notes,
    swap: first('swap'),
    delay: first('delay'),
    batch: first('batch'),
    end: first('end'),
  }
}

/** Several parcels in one frame, a JSON array of their envelopes; repeats and intruders are left out of it. */
export function joinParcels(parcels: readonly Parcel[]): Parcel {
  const [first] = parcels as [Parcel]
  const texts = parcels.map(({ message }) => envelope(message.broadcast.stream, message.body))
  const sequences = parcels.map(({ message }) => message.broadcast.probe?.sequence)
  return {
    ...first,
    frames: [textFrame(`[${texts.join(',')}]`)],
    broadcasts: parcels.map(({ message }) => message.broadcast),
    notes: [{ kind: 'batch', details: { ...probeFields(first.message.broadcast.stream, first.message.broadcast.probe), sequences } }],
    end: parcels.find((parcel) => parcel.end !== undefined)?.end,
  }
}
