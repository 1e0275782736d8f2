/**
 * What people read on stderr while a command works, by level (LOG_LEVEL): one plain line each. Results never go here, and the sentence that
 * a command ends with is no log: it shows at every level.
 */
import type { Writable } from 'node:stream'
import type { Settings } from '../config/settings.ts'

type Threshold = Settings['logLevel']
export type LogLevel = Exclude<Threshold, 'silent'>
export type Log = (level: LogLevel, text: string) => void

/** What a threshold shows is what stands up to it. */
const LEVELS: readonly Threshold[] = ['silent', 'error', 'warn', 'info', 'debug']
const PREFIX: Readonly<Record<LogLevel, string>> = { error: 'error: ', warn: 'warning: ', info: '', debug: 'debug: ' }

export const isShown = (level: LogLevel, threshold: Threshold): boolean => LEVELS.indexOf(level) <= LEVELS.indexOf(threshold)

/** `write` gets each line without its newline. */
export const logTo =
  (write: (line: string) => void, threshold: Threshold): Log =>
  (level, text) => {
    if (isShown(level, threshold)) write(`${PREFIX[level]}${text}`)
  }

/** Straight to stderr, for what is said while no progress is shown. */
export const logOn = (stderr: Writable, threshold: Threshold): Log => logTo((line) => stderr.write(`${line}\n`), threshold)
