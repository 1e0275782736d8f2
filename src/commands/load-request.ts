/** From a settings command's request to checked settings: flags, environment and .env file together, warnings said aloud. */
import type { SettingsRequest } from '../cli/arguments.ts'
import { readDotenvFile } from '../cli/dotenv-file.ts'
import { type LoadedSettings, loadSettings } from '../config/load.ts'
import type { Settings } from '../config/settings.ts'
import { FanfareError } from '../errors.ts'
import { compileTemplate } from '../probe/template.ts'
import { createProtocol } from '../protocols/create-protocol.ts'
import { parseThresholds } from '../report/thresholds.ts'
import type { CommandContext } from './context.ts'

export interface LoadOptions {
  /** What the command asks for when nobody says otherwise. */
  readonly demoDefaults?: Partial<Settings>
  readonly isReplicated?: boolean
}

/** Throws `settings-invalid` with everything that is wrong. */
export function loadRequest(request: SettingsRequest, context: CommandContext, options: LoadOptions = {}): LoadedSettings {
  if (request.strayWords.length > 0) {
    throw new FanfareError('settings-invalid', `Expected flags only, got \`${request.strayWords.join(' ')}\`.`)
  }
  const loaded = loadSettings({
    flags: request.flags,
    env: context.env,
    dotenv: readDotenvFile(),
    rules: { thresholds: parseThresholds, body: compileTemplate, dialect: createProtocol },
    ...options,
  })
  for (const { code, text } of loaded.warnings) context.stderr.write(`warning ${code}: ${text}\n`)
  return loaded
}
