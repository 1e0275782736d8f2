/**
 * What a client's text frame asks for, and the texts of the answers. Pure: who is subscribed is not known here.
 */

export type Ask =
  | { readonly kind: 'ping' }
  | { readonly kind: 'subscribe' | 'unsubscribe'; readonly streams: readonly string[] }
  | { readonly kind: 'wrong'; readonly text: string }

export function readAsk(text: string): Ask {
  if (text === 'ping') return { kind: 'ping' }
  let asked: unknown
  try {
    asked = JSON.parse(text)
  } catch {
    return { kind: 'wrong', text: 'the request is not JSON' }
  }
  if (typeof asked !== 'object' || asked === null) return { kind: 'wrong', text: 'the request is not an object' }
  const { event, streams } = asked as { event?: unknown; streams?: unknown }
  if (event !== 'subscribe' && event !== 'unsubscribe') return { kind: 'wrong', text: 'the event is neither subscribe nor unsubscribe' }
  if (!isListOfText(streams)) return { kind: 'wrong', text: 'the request has no list of streams' }
  return { kind: event, streams }
}

const isListOfText = (value: unknown): value is string[] => Array.isArray(value) && value.every((item) => typeof item === 'string')

export const PONG_TEXT = 'pong'

export const subscribedText = (streams: readonly string[]): string => JSON.stringify({ success: { message: 'subscribed', streams } })
export const unsubscribedText = (streams: readonly string[]): string => JSON.stringify({ success: { message: 'unsubscribed', streams } })
export const refusalText = (stream: string): string => JSON.stringify({ success: { message: `cannot subscribe to ${stream}` } })
export const errorText = (text: string): string => JSON.stringify({ error: text })
