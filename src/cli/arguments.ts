/**
 * The command line: commands, their flags and help. It turns argv into requests and hands them to the handlers it was
 * given; it reads no environment, checks no values and starts nothing.
 */
import { Command, CommanderError, Option } from 'commander'
import type { Settings } from '../config/settings.ts'
import { exitCodes } from '../exit-codes.ts'
import { settingOptions } from './usage.ts'

/** What a command that works on settings was asked; `loadSettings` takes flags and stray words as they are. */
export interface SettingsRequest {
  /** Texts by flag, `--msg-count`; unknown flags too. */
  readonly flags: Readonly<Record<string, string>>
  readonly strayWords: readonly string[]
  /** `--json`: the report on stdout and nothing else. */
  readonly isJson: boolean
}

/** What a command with flags of its own was asked. Options by flag name in camel case, as commander spells them. */
export interface ToolRequest {
  readonly words: readonly string[]
  readonly options: Readonly<Record<string, string | boolean | undefined>>
}

/** Each resolves with the exit code. */
export interface Handlers {
  run(request: SettingsRequest): Promise<number>
  demo(request: SettingsRequest): Promise<number>
  doctor(request: SettingsRequest): Promise<number>
  coordinate(request: SettingsRequest): Promise<number>
  replica(request: SettingsRequest): Promise<number>
  target(request: ToolRequest): Promise<number>
  broker(request: ToolRequest): Promise<number>
  compare(request: ToolRequest): Promise<number>
  report(request: ToolRequest): Promise<number>
}

/** A flag of `target` or `broker`; those parts own theirs. */
export interface ToolFlag {
  /** As commander writes it: `--port <number>`. */
  readonly usage: string
  readonly help: string
}

export interface ProgramParts {
  readonly version: string
  /** A command without a handler is not offered. */
  readonly handlers: Partial<Handlers>
  readonly targetFlags: readonly ToolFlag[]
  readonly brokerFlags: readonly ToolFlag[]
  /** What `demo` asks for when nobody says otherwise; its help shows it. */
  readonly demoDefaults?: Partial<Settings>
}

const SETTINGS_NOTE = `
Each setting may also stand in the environment or in a file .env, under the name
in brackets, which also show its default. A flag wins over the environment, the
environment over .env; an empty value counts as not set.
`

const EXIT_CODES_NOTE = `
Exit codes: 0 pass, 1 a threshold was broken, 2 wrong settings, 3 the run could
not be carried out, 4 the figures are not to be trusted, 70 a fault of fanfare,
130 and 143 interrupted.`

/** Runs the command that `argv` (without node and script) asks for, and resolves with its exit code. Handlers' errors go up. */
export async function runCommandLine(argv: readonly string[], parts: ProgramParts): Promise<number> {
  let exitCode: number = exitCodes.settings
  const program = createProgram(parts, (code) => {
    exitCode = code
  })
  // A command line that asks for nothing must not look like a run that passed.
  if (argv.length === 0) {
    program.outputHelp({ error: true })
    return exitCode
  }
  try {
    await program.parseAsync([...argv], { from: 'user' })
    return exitCode
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error
    return error.exitCode === 0 ? exitCodes.pass : exitCodes.settings
  }
}

/** The whole program. `onExitCode` hears what a handler resolved with. */
export function createProgram(parts: ProgramParts, onExitCode: (code: number) => void): Command {
  const { version, handlers, targetFlags, brokerFlags, demoDefaults = {} } = parts
  const program = new Command('fanfare')
    .description(
      'Tells when every client of a broadcast server heard a message, how many never did, and whether the answer can be trusted.',
    )
    .version(version, '--version', 'print the version')
    .helpOption('--help', 'print help')
    .helpCommand('help [command]', 'print help for a command')
    .configureHelp({ helpWidth: HELP_COLUMNS, subcommandTerm: (command) => command.name() })
    .showHelpAfterError('(fanfare --help says what there is)')
    .exitOverride()
    .addHelpText('after', EXIT_CODES_NOTE)

  const settingsCommand = (name: keyof Handlers & SettingsCommand, summary: string, { hasJson = false } = {}) => {
    const handler = handlers[name]
    if (handler === undefined) return
    const command = program.command(name).description(summary).allowUnknownOption().allowExcessArguments()
    if (hasJson) command.option('--json', 'print the report on stdout, and nothing else there')
    for (const option of settingOptions(name === 'demo' ? demoDefaults : {})) command.addOption(option)
    command.addHelpText('after', SETTINGS_NOTE + EXIT_CODES_NOTE)
    command.action(async () => onExitCode(await handler(settingsRequest(command))))
  }
  const toolCommand = (name: keyof Handlers & ToolCommand, summary: string, flags: readonly ToolFlag[], words = '') => {
    const handler = handlers[name]
    if (handler === undefined) return
    const command = program.command(`${name}${words}`).description(summary)
    for (const { usage, help } of flags) command.addOption(new Option(usage, help))
    command.action(async () => onExitCode(await handler({ words: command.args, options: command.opts() })))
  }

  settingsCommand('run', 'run against a broker and a target', { hasJson: true })
  settingsCommand('demo', 'run against an embedded broker and the reference target', { hasJson: true })
  settingsCommand('doctor', 'say whether this machine can hold the run, without dialing')
  settingsCommand('coordinate', 'plan, publish, judge and report for several replicas', { hasJson: true })
  settingsCommand('replica', 'hold a share of the clients for a coordinator')
  toolCommand('target', 'start the reference target', targetFlags)
  toolCommand('broker', 'start the embedded AMQP broker', brokerFlags)
  toolCommand('report', 'print a saved report again', REPORT_FLAGS, ' <file>')
  toolCommand('compare', 'compare two reports, or two folders of runs', COMPARE_FLAGS, ' <before> <after>')
  return program
}

const HELP_COLUMNS = 80

type SettingsCommand = 'run' | 'demo' | 'doctor' | 'coordinate' | 'replica'
type ToolCommand = Exclude<keyof Handlers, SettingsCommand>

const REPORT_FLAGS: readonly ToolFlag[] = [
  { usage: '--html', help: 'as one self-contained page' },
  { usage: '--markdown', help: 'as a comment for a pull request' },
  { usage: '--csv', help: 'the timeline, one line a second' },
]

const COMPARE_FLAGS: readonly ToolFlag[] = [
  { usage: '--fail-if <change>', help: 'exit with 1 on such a change: "p99>+10%", "p50>+5ms"' },
  { usage: '--html', help: 'as one self-contained page' },
  { usage: '--markdown', help: 'as a comment for a pull request' },
]

/** Known flags come parsed; what commander did not know is sorted into unknown flags (with their values) and stray words. */
function settingsRequest(command: Command): SettingsRequest {
  const known = command.options.flatMap((option): [string, string][] => {
    const value: unknown = command.getOptionValue(option.attributeName())
    if (value === undefined || option.long === '--json') return []
    return [[option.long!, value === true ? 'on' : String(value)]]
  })
  const { flags, strayWords } = sortUnknown(command.args)
  return { flags: { ...flags, ...Object.fromEntries(known) }, strayWords, isJson: command.getOptionValue('json') === true }
}

function sortUnknown(words: readonly string[]): { flags: Record<string, string>; strayWords: string[] } {
  const flags: Record<string, string> = {}
  const strayWords: string[] = []
  let flag: string | undefined
  for (const word of words) {
    if (/^-./.test(word)) {
      const [name, value] = word.split(/=(.*)/s) as [string, string | undefined]
      flags[name] = value ?? ''
      flag = value === undefined ? name : undefined
    } else if (flag !== undefined) {
      flags[flag] = word
      flag = undefined
    } else {
      strayWords.push(word)
    }
  }
  return { flags, strayWords }
}
