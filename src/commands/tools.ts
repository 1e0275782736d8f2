/**
 * `fanfare target` and `fanfare broker`: flags of their own, checked all at once like settings. AMQP_ADDR of the environment
 * counts for the target, so that a compose file says it once.
 */
import type { ToolFlag, ToolRequest } from '../cli/arguments.ts'
import { count, type Kind, text } from '../config/kinds.ts'
import { settingsTable } from '../config/settings.ts'
import { runBrokerCommand } from '../embedded/command.ts'
import { FanfareError } from '../errors.ts'
import { exitCodes } from '../exit-codes.ts'
import { runTargetCommand } from '../target/command.ts'
import type { CommandContext } from './context.ts'

const port = count(0, 65_535)

/** What counts when a flag is not given; help shows it from here. */
const targetDefaults = {
  port: 8_080,
  host: '127.0.0.1',
  amqp: 'amqp://guest:guest@localhost:5672',
  exchange: settingsTable.amqpExchange.default,
  processes: 1,
  metricsPort: 0,
  controlPort: 0,
}
const brokerDefaults = { port: 5_672, host: '127.0.0.1' }

export const targetFlags: readonly ToolFlag[] = [
  { usage: '--port <number>', help: `WebSocket port; 0 takes a free one (default ${targetDefaults.port})` },
  { usage: '--host <address>', help: `address to listen on (default ${targetDefaults.host})` },
  { usage: '--amqp <url>', help: `broker to consume from (default AMQP_ADDR, or ${targetDefaults.amqp})` },
  { usage: '--exchange <name>', help: `topic exchange, declared non-durable (default ${targetDefaults.exchange})` },
  { usage: '--processes <number>', help: `how many, on consecutive ports (default ${targetDefaults.processes})` },
  { usage: '--metrics-port <number>', help: `port of the target's own gauges; 0 takes a free one (default ${targetDefaults.metricsPort})` },
  {
    usage: '--control-port <number>',
    help: `port on loopback to change habits and read the truth; 0 takes a free one (default ${targetDefaults.controlPort})`,
  },
  { usage: '--habits <json>', help: 'bad habits from the start, as JSON or @FILE (docs/target.md)' },
  { usage: '--truth <file>', help: 'write down there what was done to whom, one JSON line each' },
]

export const brokerFlags: readonly ToolFlag[] = [
  { usage: '--port <number>', help: `AMQP port; 0 takes a free one (default ${brokerDefaults.port})` },
  { usage: '--host <address>', help: `address to listen on (default ${brokerDefaults.host})` },
  { usage: '--user <name>', help: 'login (default guest)' },
  { usage: '--password <text>', help: 'password (default guest)' },
  { usage: '--control-port <number>', help: 'port on loopback to inject faults and read the truth (default none)' },
  { usage: '--truth <file>', help: 'write down there what was done on purpose, one JSON line each' },
]

export async function targetCommand({ options }: ToolRequest, { env, stop }: CommandContext): Promise<number> {
  const flags = new Flags(options)
  const command = {
    host: flags.value('host', text(1, 255), targetDefaults.host),
    port: flags.value('port', port, targetDefaults.port),
    amqp: flags.value('amqp', text(1, 4_096), env.AMQP_ADDR || targetDefaults.amqp),
    exchange: flags.value('exchange', text(1, 255), targetDefaults.exchange),
    processes: flags.value('processes', count(1, 256), targetDefaults.processes),
    metricsPort: flags.value('metricsPort', port, targetDefaults.metricsPort),
    controlPort: flags.value('controlPort', port, targetDefaults.controlPort),
    habits: flags.value('habits', text(1, 1_048_576), undefined),
    truthFile: flags.value('truth', text(1, 4_096), undefined),
  }
  flags.throwIfWrong()
  await runTargetCommand(command, withParent(stop))
  return exitCodes.pass
}

export async function brokerCommand({ options }: ToolRequest, { stop }: CommandContext): Promise<number> {
  const flags = new Flags(options)
  const command = {
    host: flags.value('host', text(1, 255), brokerDefaults.host),
    port: flags.value('port', port, brokerDefaults.port),
    user: flags.value('user', text(1, 255), undefined),
    password: flags.value('password', text(1, 255), undefined),
    controlPort: flags.value('controlPort', port, undefined),
    truthFile: flags.value('truth', text(1, 4_096), undefined),
  }
  flags.throwIfWrong()
  await runBrokerCommand(command, withParent(stop))
  return exitCodes.pass
}

/** A counterpart that was started by another process ends with it, also when that was gone before this line is reached. */
function withParent(stop: AbortSignal): AbortSignal {
  if (process.send === undefined) return stop
  const orphaned = new AbortController()
  process.once('disconnect', () => orphaned.abort())
  if (!process.connected) orphaned.abort()
  return AbortSignal.any([stop, orphaned.signal])
}

/** Reads flags by kind and keeps what is wrong, to say it all at once. */
class Flags {
  readonly #options: ToolRequest['options']
  readonly #problems: string[] = []

  constructor(options: ToolRequest['options']) {
    this.#options = options
  }

  value<T, D extends T | undefined>(name: string, kind: Kind<T>, defaultValue: D): T | D {
    const given = this.#options[name]
    if (typeof given !== 'string') return defaultValue
    const value = kind.parse(given)
    if (value !== undefined) return value
    this.#problems.push(
      `Expected \`--${name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}\` to be ${kind.rule}, got \`${kind.redactText(given)}\`.`,
    )
    return defaultValue
  }

  throwIfWrong(): void {
    if (this.#problems.length > 0) throw new FanfareError('settings-invalid', this.#problems.join('\n'))
  }
}
