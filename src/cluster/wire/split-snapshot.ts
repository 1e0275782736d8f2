/**
 * Cuts a snapshot into pieces that fit into messages. Merging is associative, so the pieces may be added to a total in any order; only
 * its long lists need cutting, after a pause in which nothing could be sent, or at a high probe rate.
 */
import { fanoutColumns } from '../../measure/fanout-merge.ts'
import type { FanoutRows, Snapshot } from '../../measure/snapshot.ts'
import { emptySnapshot } from '../../measure/snapshot-merge.ts'
import { MAX_FANOUT_ROWS, MAX_READY_CLIENTS, MAX_TIMELINE_SECONDS } from './snapshot-codec.ts'

export interface PieceLimits {
  readonly fanoutRows: number
  readonly readyClients: number
  readonly timelineSeconds: number
}

const wireLimits: PieceLimits = { fanoutRows: MAX_FANOUT_ROWS, readyClients: MAX_READY_CLIENTS, timelineSeconds: MAX_TIMELINE_SECONDS }

/** One piece when it fits, which is the ordinary case. */
export function splitSnapshot(snapshot: Snapshot, limits: PieceLimits = wireLimits): Snapshot[] {
  const pieces = Math.max(
    1,
    Math.ceil(snapshot.fanout.count.length / limits.fanoutRows),
    Math.ceil(snapshot.readyClients.client.length / limits.readyClients),
    Math.ceil(snapshot.timeline.length / limits.timelineSeconds),
  )
  if (pieces === 1) return [snapshot]
  return Array.from({ length: pieces }, (_, piece) => ({
    ...(piece === 0 ? snapshot : { ...emptySnapshot(), fromUs: snapshot.fromUs, toUs: snapshot.toUs }),
    fanout: rowsOf(snapshot.fanout, piece * limits.fanoutRows, limits.fanoutRows),
    readyClients: {
      client: part(snapshot.readyClients.client, piece, limits.readyClients),
      readyUs: part(snapshot.readyClients.readyUs, piece, limits.readyClients),
    },
    timeline: part(snapshot.timeline, piece, limits.timelineSeconds),
  }))
}

const part = <T>(list: readonly T[], piece: number, size: number): T[] => list.slice(piece * size, (piece + 1) * size)

function rowsOf(rows: FanoutRows, from: number, length: number): FanoutRows {
  const cut = fanoutColumns.map((column) => [column, rows[column].slice(from, from + length)])
  return Object.fromEntries(cut) as unknown as FanoutRows
}
