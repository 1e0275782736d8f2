/**
 * `fanfare demo`: the main job with nothing installed. The embedded broker and the reference target start on free loopback
 * ports, each in a process of its own, and a run goes against them.
 */
import type { SettingsRequest } from '../cli/arguments.ts'
import type { Settings } from '../config/settings.ts'
import { conduct } from './conduct.ts'
import type { CommandContext } from './context.ts'
import { type Counterpart, startCounterpart } from './counterpart.ts'
import { loadRequest } from './load-request.ts'
import { logOn } from './log.ts'

/** About ten seconds of publishing on a laptop; a free metrics port, so that demos do not get in each other's way. */
export const demoDefaults: Partial<Settings> = { wsPoolSize: 1_000, msgCount: 300, msgDelayMs: 30, metricsPort: 0 }

const NEXT_STEPS = [
  'point it at a real target: npx fanfare run --ws-addr ws://HOST:PORT/ --amqp-addr amqp://USER:PASSWORD@HOST:5672',
  'what each figure means: README.md, "How to read it"',
]

export async function demoCommand(request: SettingsRequest, context: CommandContext): Promise<number> {
  const { settings } = loadRequest(request, context, { demoDefaults, decidedByCommand: ['amqpAddr', 'wsAddr'] })
  const log = logOn(context.stderr, settings.logLevel)
  const started: Counterpart[] = []
  const start = async (...args: string[]): Promise<Counterpart> => {
    const counterpart = await startCounterpart(args)
    started.push(counterpart)
    log('debug', `${args[0]} is process ${counterpart.pid} at ${JSON.stringify(counterpart.addresses)}`)
    return counterpart
  }
  try {
    const broker = await start('broker', '--port', '0')
    const amqpAddr = String(broker.addresses.amqp)
    const target = await start('target', '--port', '0', '--amqp', amqpAddr, '--exchange', settings.amqpExchange)
    const wsAddr = (target.addresses.ws as string[]).map((address) => new URL(address).href)
    return await conduct({ ...settings, amqpAddr: [amqpAddr], wsAddr }, context, { isJson: request.isJson, nextSteps: NEXT_STEPS })
  } finally {
    await Promise.all(started.map((counterpart) => counterpart.stop()))
  }
}
