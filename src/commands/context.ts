/** What every command is given by the process edge; the only door to argv's surroundings, so commands can be run by tests. */
import type { Writable } from 'node:stream'

export interface CommandContext {
  readonly version: string
  readonly env: Readonly<Record<string, string | undefined>>
  /** Aborted with an `Interruption` by the first SIGINT or SIGTERM. */
  readonly stop: AbortSignal
  /** Results only. */
  readonly stdout: Writable
  /** Progress, warnings and logs. */
  readonly stderr: Writable
}
