/**
 * Who may subscribe to what, by the number of dots in the name: none is private and needs a login, one is public, two is
 * prefixed and needs a role. This target grants no roles, as rango grants none without RANGO_RBAC settings. Pure.
 */
import { privateTopic } from './routing.ts'

export type StreamKind = 'private' | 'public' | 'prefixed' | 'unknown'

const KIND_BY_DOTS: readonly StreamKind[] = ['private', 'public', 'prefixed']

export const streamKind = (stream: string): StreamKind => KIND_BY_DOTS[stream.split('.').length - 1] ?? 'unknown'

export interface SubscriptionChange {
  /** The full list after the change, in the order of subscribing; what the acknowledgement names. */
  readonly streams: readonly string[]
  /** Streams the target refuses aloud. Private ones without a login are left out in silence, as rango does. */
  readonly refused: readonly string[]
}

export function subscribe(current: readonly string[], wanted: readonly string[], uid: string | undefined): SubscriptionChange {
  const isAllowed = (stream: string) => streamKind(stream) === 'public' || (streamKind(stream) === 'private' && uid !== undefined)
  return {
    streams: [...new Set([...current, ...wanted.filter(isAllowed)])],
    refused: wanted.filter((stream) => streamKind(stream) === 'prefixed'),
  }
}

export const unsubscribe = (current: readonly string[], unwanted: readonly string[]): readonly string[] =>
  current.filter((stream) => !unwanted.includes(stream))

/** The topic whose messages a subscriber of this stream hears. */
export const topicOf = (stream: string, uid: string | undefined): string =>
  streamKind(stream) === 'private' ? privateTopic(uid ?? '', stream) : stream
