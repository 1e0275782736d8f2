/**
 * Who belongs to which thread. Pure: the same roster is shared out in the same way in every process. Sentinels are ordinary
 * clients of the roster that sit on a thread of their own; nothing else distinguishes them.
 */
import type { RosterShare, ThreadShare } from '../../config/plan.ts'

/** A smaller roster keeps one thread's loop quiet by itself, and sentinels would be a large part of it. */
const SENTINELS_ABOVE_CLIENTS = 500

export interface SharingFacts {
  /** All clients of the run. */
  readonly roster: RosterShare
  /** The part of the roster that this process holds. */
  readonly share: RosterShare
  /** Threads for the crowd. */
  readonly threads: number
  /** SENTINELS, for the whole roster. */
  readonly sentinels: number
  /** How many targets clients are dealt out to. */
  readonly targets: number
}

/**
 * The threads of this process with their clients. Crowd threads come first and are never empty; neighbours of the connect
 * order land on different threads, and every thread meets every target.
 */
export function shareRoster(facts: SharingFacts): ThreadShare[] {
  const sentinels = pickSentinels(facts)
  const isSentinel = new Set(sentinels)
  const { firstClient, clients } = facts.share
  const crowd = Array.from({ length: clients }, (_, index) => firstClient + index).filter((client) => !isSentinel.has(client))

  const shares: ThreadShare[] = deal(crowd, Math.min(facts.threads, crowd.length)).map((members, thread) => ({
    thread,
    role: 'crowd',
    clients: members,
  }))
  if (sentinels.length > 0) shares.push({ thread: shares.length, role: 'sentinels', clients: sentinels })
  return shares
}

/** Deals like cards, starting one seat later in each round: thread and target (client mod targets) stay independent. */
function deal(clients: readonly number[], seats: number): number[][] {
  const hands: number[][] = Array.from({ length: seats }, () => [])
  clients.forEach((client, index) => {
    const round = Math.floor(index / seats)
    hands[(index + round) % seats]!.push(client)
  })
  return hands
}

/**
 * Sentinels of this share, ascending: one in each of equal parts of the connect order, in turn at each target. A share of a
 * larger roster has as many as lie in it.
 */
function pickSentinels({ roster, share, sentinels, targets }: SharingFacts): number[] {
  if (roster.clients <= SENTINELS_ABOVE_CLIENTS || sentinels === 0) return []
  // Half the roster at most: sentinels are compared with a crowd.
  const wanted = Math.min(sentinels, Math.floor(roster.clients / 2))
  const picked: number[] = []
  for (let index = 0; index < wanted; index++) {
    const from = roster.firstClient + Math.floor((index * roster.clients) / wanted)
    const until = roster.firstClient + Math.floor(((index + 1) * roster.clients) / wanted)
    const client = atTarget(from + Math.floor((until - from) / 2), index % targets, { until, targets })
    if (client >= share.firstClient && client < share.firstClient + share.clients) picked.push(client)
  }
  return picked
}

/** The first client from `client` on that is dealt to `target`; `client` itself when none is before `until`. */
function atTarget(client: number, target: number, { until, targets }: { until: number; targets: number }): number {
  const ahead = (target - (client % targets) + targets) % targets
  return client + ahead < until ? client + ahead : client
}
