/**
 * The reference target: a small, honest, rango-compatible broadcaster that misbehaves only on request and writes down what it
 * did. This file opens and closes it, with its metrics port, its control port and its truth file.
 */
import { once } from 'node:events'
import { createWriteStream, type WriteStream } from 'node:fs'
import { finished } from 'node:stream/promises'
import { describeError, FanfareError } from '../errors.ts'
import { Broadcaster } from './broadcaster.ts'
import { openControlPort } from './control-port.ts'
import { METRICS_CONTENT_TYPE } from './gauges.ts'
import type { Deed, Habit } from './habits/habit.ts'
import { parseDeed, parseHabits } from './habits/parse.ts'
import { openSidePort, urlHost } from './listen.ts'
import { Truth } from './truth.ts'

export const DEFAULT_EXCHANGE = 'peatio.events.ranger'
const RECONNECT_MS = 1_000
const LOOPBACK = '127.0.0.1'

export interface TargetOptions {
  /** Default 127.0.0.1. */
  readonly host?: string
  /** Default 0: a free one. The same for `metricsPort` and `controlPort`. */
  readonly port?: number
  readonly metricsPort?: number
  readonly controlPort?: number
  /** amqp:// URL; absent: nothing comes in but by `broadcast`. */
  readonly amqp?: string
  /** Default `peatio.events.ranger`. */
  readonly exchange?: string
  /** Pause before the broker is tried again, default 1000. */
  readonly reconnectMs?: number
  readonly habits?: readonly Habit[]
  /** Gets the truth log as lines of JSON: events as they happen, accounts at the end. */
  readonly truthFile?: string
  /** What a person should know; default: nothing is said. */
  log?(text: string): void
}

export interface Target {
  readonly port: number
  readonly url: string
  readonly metricsUrl: string
  readonly controlUrl: string
  readonly truth: Truth
  readonly habits: readonly Habit[]
  /** How many clients are connected. */
  readonly clientCount: number
  /** Whether its queue is bound and consumed. */
  readonly isConsuming: boolean
  /** Replaces all habits; clients that are connected are served accordingly from the next message on. */
  setHabits(habits: readonly Habit[]): void
  /** Does a deed; a restart resolves once the target listens again. */
  act(deed: Deed): Promise<void>
  /** A message as if it had come from the broker. */
  broadcast(routingKey: string, body: Uint8Array | string): void
  /** Resolves to whether the queue is bound and consumed before `timeoutMs` have passed; false without a broker. */
  whenConsuming(timeoutMs: number): Promise<boolean>
  /** Ends all clients, frees all ports, completes the truth file. */
  close(): Promise<void>
}

export async function startTarget(options: TargetOptions = {}): Promise<Target> {
  const { host = LOOPBACK, log = () => {} } = options
  const file = options.truthFile === undefined ? undefined : await openFile(options.truthFile)
  const truth = new Truth(file)
  const broadcaster = new Broadcaster({ truth, log, broker: brokerOf(options, log) })
  const closing: (() => Promise<void>)[] = [() => broadcaster.close()]
  const close = async () => {
    await Promise.all(closing.splice(0).map((end) => end()))
    if (file?.writable) await endFile(file, truth)
  }
  try {
    broadcaster.setHabits(parseHabits(options.habits ?? []))
    const { port } = await broadcaster.open(host, options.port ?? 0)
    const metrics = await openSidePort({ host, port: options.metricsPort ?? 0 }, '/metrics', (_request, response) => {
      response.writeHead(200, { 'Content-Type': METRICS_CONTENT_TYPE }).end(broadcaster.gaugeText())
    })
    closing.push(metrics.close)
    const control = await openControlPort(broadcaster, truth, options.controlPort ?? 0)
    closing.push(control.close)
    return {
      port,
      url: `ws://${urlHost(host)}:${port}/`,
      metricsUrl: metrics.url,
      controlUrl: control.url,
      truth,
      get habits() {
        return broadcaster.habits
      },
      get clientCount() {
        return broadcaster.clientCount
      },
      get isConsuming() {
        return broadcaster.isConsuming
      },
      setHabits: (habits) => broadcaster.setHabits(parseHabits(habits)),
      act: (deed) => broadcaster.act(parseDeed(deed)),
      broadcast: (routingKey, body) => broadcaster.broadcast(routingKey, Buffer.from(body)),
      whenConsuming: (timeoutMs) => broadcaster.whenConsuming(timeoutMs),
      close,
    }
  } catch (error) {
    await close()
    throw error
  }
}

function brokerOf({ amqp, exchange = DEFAULT_EXCHANGE, reconnectMs = RECONNECT_MS }: TargetOptions, log: (text: string) => void) {
  return amqp === undefined ? undefined : { url: amqp, exchange, reconnectMs, log }
}

async function openFile(path: string): Promise<WriteStream> {
  const file = createWriteStream(path)
  try {
    await once(file, 'open')
  } catch (error) {
    throw new FanfareError('settings-invalid', `The truth log cannot be written to ${path}: ${describeError(error)}`, { cause: error })
  }
  return file
}

async function endFile(file: WriteStream, truth: Truth): Promise<void> {
  for (const line of truth.closingLines()) file.write(line)
  file.end()
  await finished(file)
}
