/**
 * The publisher's log in several processes: the coordinator tells what has changed since it last told, the replicas keep a copy. Pieces
 * arrive once and in order, so both sides hold the same log between two tellings.
 */
import type { PublisherLog, StreamLog } from '../measure/publisher-log.ts'
import { type LogPiece, MAX_LOG_ROWS } from './wire/log-codec.ts'

/** The coordinator's side: what replicas know by now. */
export class ToldLog {
  readonly #streams = new Map<number, StreamLog>()

  /** As it was when it was last told; the publisher may have gone on writing. */
  get log(): PublisherLog {
    return { streams: [...this.#streams.values()] }
  }

  /** What is to be told, so that replicas know `log` as it is now. */
  tell(log: PublisherLog): LogPiece[] {
    return log.streams.flatMap((stream) => {
      const known = this.#streams.get(stream.stream)
      // A copy first: the publisher writes on while pieces are cut.
      const now = { ...stream, sentUs: Float64Array.from(stream.sentUs), states: Uint8Array.from(stream.states) }
      this.#streams.set(stream.stream, now)
      return piecesOf(now, changedRows(known, now))
    })
  }
}

/** A replica's side. Columns lie in shared memory, so that its threads read them without copies. */
export class LogCopy {
  readonly #streams = new Map<number, StreamLog>()

  get log(): PublisherLog {
    return { streams: [...this.#streams.values()] }
  }

  /** A longer stream than before (INJECTOR=none: more was heard) gets new memory. */
  take({ stream, count, from, sentUs, states }: LogPiece): void {
    const known = this.#streams.get(stream)
    const copy = known?.count === count ? known : grownCopy(known, stream, count)
    copy.sentUs.set(sentUs, from)
    copy.states.set(states, from)
    this.#streams.set(stream, copy)
  }
}

/** From the first to behind the last row that differs; all of a stream whose length is new. */
function changedRows(known: StreamLog | undefined, now: StreamLog): { from: number; end: number } {
  if (known?.count !== now.count) return { from: 0, end: now.count }
  const isSame = (row: number): boolean => known.states[row] === now.states[row] && known.sentUs[row] === now.sentUs[row]
  let from = 0
  let end = now.count
  while (from < end && isSame(from)) from++
  while (end > from && isSame(end - 1)) end--
  return { from, end }
}

function piecesOf({ stream, count, sentUs, states }: StreamLog, rows: { from: number; end: number }): LogPiece[] {
  const pieces: LogPiece[] = []
  for (let from = rows.from; from < rows.end; from += MAX_LOG_ROWS) {
    const end = Math.min(rows.end, from + MAX_LOG_ROWS)
    pieces.push({ stream, count, from, sentUs: sentUs.subarray(from, end), states: states.subarray(from, end) })
  }
  return pieces
}

function grownCopy(known: StreamLog | undefined, stream: number, count: number): StreamLog {
  const copy = {
    stream,
    count,
    sentUs: new Float64Array(new SharedArrayBuffer(count * Float64Array.BYTES_PER_ELEMENT)),
    states: new Uint8Array(new SharedArrayBuffer(count)),
  }
  if (known !== undefined) {
    copy.sentUs.set(known.sentUs.subarray(0, count))
    copy.states.set(known.states.subarray(0, count))
  }
  return copy
}
