/**
 * Names that differ from client to client (MQTT client ids, logins), made from a template. Indices are unique over the whole
 * run, so `{{index}}` alone tells any two clients apart.
 */
import type { ClientIdentity } from './protocol.ts'

const PLACEHOLDER = /\{\{(index|replica|run)\}\}/g

/** `template` with `{{index}}` (of the client), `{{replica}}` and `{{run}}` filled in; anything else stays as it is. */
export const clientName = (template: string, { client, replica, runId }: ClientIdentity): string =>
  template.replace(PLACEHOLDER, (_placeholder, name: string) =>
    name === 'index' ? String(client) : name === 'replica' ? String(replica) : runId,
  )
