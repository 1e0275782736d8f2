/** `fanfare run`: one process, against a broker and a target that are already there. */
import type { SettingsRequest } from '../cli/arguments.ts'
import { conduct } from './conduct.ts'
import type { CommandContext } from './context.ts'
import { loadRequest } from './load-request.ts'

export async function runCommand(request: SettingsRequest, context: CommandContext): Promise<number> {
  const { settings } = loadRequest(request, context)
  return conduct(settings, context, { isJson: request.isJson })
}
