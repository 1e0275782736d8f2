/** The names of a group on the broker, and how its messages are addressed. Everything of a run disappears with the connections that made it. */

/** Auto-delete, non-durable, direct. */
export const controlExchange = (group: string): string => `fanfare.control.${group}`

/** Exclusive: it is there exactly as long as the process that declared it is connected, which is how others see that it lives. */
export const coordinatorQueue = (group: string): string => `fanfare.${group}.coordinator`
export const replicaQueue = (group: string, id: string): string => `fanfare.${group}.replica.${id}`

/** Routing keys. */
export const COORDINATOR_KEY = 'coordinator'
export const replicaKey = (id: string): string => `replica.${id}`
