/**
 * Tries out, before any thread starts, what every client will do: build its handshake and subscribe. Settings that
 * make no sense are refused here, once, instead of on every thread.
 */
import { type Plan, streamsOfClient } from '../config/plan.ts'
import { createProtocol } from '../protocols/create-protocol.ts'

/** Throws `settings-invalid` for the first thing that makes no sense. */
export function checkDialect(plan: Plan): void {
  const { settings, replica, runId } = plan
  const protocol = createProtocol(settings)
  // One client of each stream; further clients only differ in their index.
  for (let client = 0; client < plan.streams.length; client++) {
    const identity = { client, replica, runId, streams: streamsOfClient(plan, client).map(({ name }) => name) }
    protocol.session(identity)
    for (const target of settings.wsAddr) protocol.handshake(target, identity)
  }
}
