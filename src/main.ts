#!/usr/bin/env node
/**
 * The process edge: argv, environment, signals, exit code. It wires the commands and holds no logic.
 */
import { readFileSync } from 'node:fs'
import { runCommandLine } from './cli/arguments.ts'
import { listenForShutdown, tolerateAnything, tolerateClosedPipe } from './cli/shutdown.ts'
import type { CommandContext } from './commands/context.ts'
import { handlersFor } from './commands/handlers.ts'
import { describeError, FanfareError } from './errors.ts'
import { exitCodeOf } from './exit-codes.ts'
import { Interruption } from './run/story.ts'

const { version } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')) as { version: string }
// Flags may hold passwords, and a command line is visible to every user of the machine.
process.title = 'fanfare'
const shutdown = listenForShutdown((signal) => new Interruption(signal))
tolerateClosedPipe(process.stdout)
tolerateAnything(process.stderr)
// Node itself would leave with 1, which says that a threshold was broken.
process.on('uncaughtException', (error) => process.exit(say(error)))

const context: CommandContext = { version, env: process.env, stop: shutdown.stop, stdout: process.stdout, stderr: process.stderr }

process.exitCode = await runCommandLine(process.argv.slice(2), { version, ...handlersFor(context) }).catch(say)
shutdown.dispose()

/** Says on stderr why the process ends, and returns its exit code. */
function say(error: unknown): number {
  process.stderr.write(`fanfare: ${error instanceof FanfareError && error.code !== 'fault' ? error.message : faultText(error)}\n`)
  return exitCodeOf(error)
}

function faultText(error: unknown): string {
  const where = error instanceof Error ? `\n${error.stack}` : ''
  return `a fault of fanfare itself, please report it: ${describeError(error)}${where}`
}
