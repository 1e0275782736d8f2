/**
 * Routing key to audience, as every rango branch does it: which topic is told, and under which stream name. Pure; knows
 * neither clients nor bodies.
 */

export interface Route {
  /** Names the audience; unlike the stream name it tells the private streams of two users apart. */
  readonly topic: string
  /** The key of the envelope. */
  readonly stream: string
}

/** Where a message with this routing key goes; undefined: to nobody (rango logs and drops it). */
export function route(routingKey: string): Route | undefined {
  const [scope, second, third, ...more] = routingKey.split('.')
  if (scope === undefined || second === undefined || more.length > 0) return undefined
  const isOpen = scope === 'public' || scope === 'global'
  if (third === undefined) return isOpen ? { topic: routingKey, stream: routingKey } : undefined
  if (isOpen) return { topic: `${second}.${third}`, stream: `${second}.${third}` }
  if (scope === 'private') return { topic: privateTopic(second, third), stream: third }
  return { topic: routingKey, stream: `${second}.${third}` }
}

/** The topic behind the private stream of one user. */
export const privateTopic = (uid: string, stream: string): string => `private.${uid}.${stream}`
