/**
 * What one client can have heard, read from the truth log alone: for each of its connections the measured probes that were written, in
 * order, and how many of them it heard at least. The rest of an abortive connection may have been lost in the kernel, so the
 * truth there is an interval.
 */
import { expandRanges } from '../../../src/target/sequence-range.ts'
import type { ClientTruth, TruthEvent } from '../../../src/target/truth.ts'
import { RUN_ID, type Truth } from './play.ts'
import { MAX_FRAME_BYTES } from './scenario.ts'

/** One connection; sequences in the order of writing, copies and all. */
export interface Hearing {
  readonly connection: ClientTruth
  readonly written: readonly number[]
  /** The first so many were surely heard. */
  readonly surely: number
  /** Where things stand that are none of this client's probes: before which of the written ones. */
  readonly misrouted: readonly number[]
  readonly foreign: readonly number[]
  readonly without: readonly number[]
  /** Whatever was written was surely heard, to the end. */
  readonly isWhole: boolean
  /** When the target ended the connection, or wrote what makes a client end it; undefined when neither happened. */
  readonly endedByTargetUs: number | undefined
  /** What the target did to that end, and what it wrote; several when one was not read any more, or before the other. */
  readonly endedBy: readonly string[]
}

/** Frames that end the connection of a client that reads them; so do those that are too long. */
const FATAL: readonly string[] = ['masked', 'reserved-bit', 'bad-opcode', 'stray-continuation']
const WITHOUT_PROBE: readonly string[] = ['text', 'binary', 'invalid-utf8', 'huge']
const ENDED_BY_TARGET: readonly string[] = ['close', 'cut', 'reset', 'slow-client', 'pong-overdue', 'write-overdue']
/** More than any frame's header. */
const HEADER_BYTES = 10

/** The connections of client `client`, in the order in which they were opened. */
export const hearingsOf = (client: number, truth: Truth): Hearing[] =>
  truth.clients
    .filter(({ path }) => path === `/${client}`)
    .map((connection) =>
      hearing(
        connection,
        truth.events.filter((event) => event.client === connection.client),
      ),
    )

function hearing(connection: ClientTruth, events: readonly TruthEvent[]): Hearing {
  const measured = connection.streams.find(({ run, probeStream }) => run === RUN_ID && probeStream === '0000')
  const written = expandRanges(measured?.written ?? [])
  const acknowledged = expandRanges(measured?.acknowledged ?? []).length
  const fatal = events.filter(isFatal)
  const cutAt = Math.min(written.length, ...placesOf(fatal, written))
  const placesBeforeCut = (kinds: readonly string[]): number[] => {
    const places = placesOf(
      events.filter((event) => kinds.includes(event.kind) && !isFatal(event)),
      written,
    )
    return places.filter((place) => place <= cutAt)
  }
  const ends = [...fatal, ...events.filter(({ kind }) => ENDED_BY_TARGET.includes(kind))]
  return {
    connection,
    written: written.slice(0, cutAt),
    surely: Math.min(acknowledged, cutAt),
    misrouted: placesBeforeCut(['misroute']),
    foreign: placesBeforeCut(['foreign']),
    without: placesBeforeCut(WITHOUT_PROBE),
    isWhole: connection.isOrderly && fatal.length === 0,
    endedByTargetUs: ends.length === 0 ? undefined : Math.min(...ends.map(({ atUs }) => atUs)),
    endedBy: ends.map(({ kind }) => kind),
  }
}

const isFatal = ({ kind, bytes }: TruthEvent): boolean =>
  FATAL.includes(kind) || (kind === 'huge' && Number(bytes) > MAX_FRAME_BYTES + HEADER_BYTES)

/** An intruder stands before the first copy of its probe; one that was written by itself may stand anywhere, the end included. */
const placesOf = (events: readonly TruthEvent[], written: readonly number[]): number[] =>
  events.map(({ sequence }) => (sequence === undefined ? written.length : written.indexOf(sequence)))
