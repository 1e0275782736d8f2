/** From a settings command's request to checked settings: flags, environment and .env file together, warnings said aloud. */
import { parseAmqpAddress } from '../broker/amqp-address.ts'
import type { SettingsRequest } from '../cli/arguments.ts'
import { readDotenvFile } from '../cli/dotenv-file.ts'
import { checkDialect } from '../clients/check-dialect.ts'
import { type LoadedSettings, loadSettings } from '../config/load.ts'
import { makePlan } from '../config/plan.ts'
import type { SettingName, Settings } from '../config/settings.ts'
import { compileTemplate } from '../probe/template.ts'
import { parseThresholds } from '../report/thresholds.ts'
import type { CommandContext } from './context.ts'
import { logOn } from './log.ts'

export interface LoadOptions {
  /** What the command asks for when nobody says otherwise. */
  readonly demoDefaults?: Partial<Settings>
  /** What the command brings itself. */
  readonly decidedByCommand?: readonly SettingName[]
  readonly isReplicated?: boolean
}

/** Throws `settings-invalid` with everything that is wrong. */
export function loadRequest(request: SettingsRequest, context: CommandContext, options: LoadOptions = {}): LoadedSettings {
  const loaded = loadSettings({
    flags: request.flags,
    strayWords: request.strayWords,
    env: context.env,
    dotenv: readDotenvFile(),
    rules: {
      thresholds: parseThresholds,
      body: compileTemplate,
      brokerAddress: parseAmqpAddress,
      dialect: (settings) => checkDialect(makePlan(settings, { runClockOffsetUs: 0 })),
    },
    ...options,
  })
  const log = logOn(context.stderr, loaded.settings.logLevel)
  for (const { code, text } of loaded.warnings) log('warn', `${code}: ${text}`)
  return loaded
}
