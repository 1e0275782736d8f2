/**
 * Server-sent events for the live page: the rows of figures once a second, and the seconds since the last event for the charts. Nothing is
 * computed while nobody watches. It reads the run's state and changes nothing.
 */
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { RunState } from '../../run/result.ts'
import { MS_PER_SECOND, US_PER_SECOND } from '../../units.ts'
import { liveFigures } from '../live-figures.ts'
import { liveRows } from '../live-rows.ts'
import { type SecondFigures, secondsSince } from './second-figures.ts'

export interface LiveFeedOptions {
  readonly state: () => RunState
  /** Run clock. */
  readonly nowUs: () => number
  /** undefined until the verdict is decided. */
  readonly outcome: () => string | undefined
}

/** What one event carries, as JSON. */
export interface LiveEvent {
  readonly phase: string
  readonly elapsedMs: number
  readonly progress: { readonly done: number; readonly total: number; readonly of: string } | null
  readonly rows: readonly { readonly label: string; readonly text: string; readonly isBad: boolean }[]
  readonly seconds: readonly SecondFigures[]
  readonly outcome: string | null
}

/** More watchers are sent away: a page that is open everywhere must not cost the run anything. */
const MAX_WATCHERS = 16
/** A watcher that comes late gets so much of the past. */
const HISTORY_SECONDS = 600

export class LiveFeed {
  readonly #options: LiveFeedOptions
  readonly #watchers = new Set<ServerResponse>()
  #timer: NodeJS.Timeout | undefined
  /** Last whole second that went to all watchers. */
  #sentSecond = 0

  constructor(options: LiveFeedOptions) {
    this.#options = options
  }

  /** The page to serve at `/events`. */
  readonly page = (request: IncomingMessage, response: ServerResponse): void => {
    if (this.#watchers.size >= MAX_WATCHERS) {
      response.writeHead(503, { 'content-type': 'text/plain; charset=utf-8', 'retry-after': '5' })
      response.end(`There are ${MAX_WATCHERS} watchers already\n`)
      return
    }
    response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-store' })
    if (request.method === 'HEAD') {
      response.end()
      return
    }
    this.#catchUp()
    response.write(eventText(this.#event(this.#sentSecond - HISTORY_SECONDS)))
    this.#watchers.add(response)
    response.on('close', () => this.#leave(response))
    this.#timer ??= setInterval(() => this.#tell(), MS_PER_SECOND).unref()
  }

  /** Tells the outcome to whoever watches, and ends their streams. Idempotent. */
  close(): void {
    if (this.#watchers.size > 0) this.#tell()
    for (const response of this.#watchers) response.end()
    this.#watchers.clear()
    this.#stop()
  }

  /** Everybody gets the same text; a watcher that does not read what it got is left out until it has. */
  #tell(): void {
    const text = eventText(this.#event(this.#sentSecond))
    this.#catchUp()
    for (const response of this.#watchers) if (!response.writableNeedDrain) response.write(text)
  }

  #leave(response: ServerResponse): void {
    this.#watchers.delete(response)
    if (this.#watchers.size === 0) this.#stop()
  }

  #stop(): void {
    clearInterval(this.#timer)
    this.#timer = undefined
  }

  #catchUp(): void {
    this.#sentSecond = Math.floor(this.#options.nowUs() / US_PER_SECOND) - 1
  }

  #event(afterSecond: number): LiveEvent {
    const state = this.#options.state()
    const figures = liveFigures(state, this.#options.nowUs())
    return {
      phase: figures.phase,
      elapsedMs: figures.elapsedMs,
      progress:
        figures.progress === undefined ? null : { done: figures.progress.done, total: figures.progress.total, of: figures.progress.of },
      rows: liveRows(figures).map(({ label, parts, isBad }) => ({ label, text: parts.join(', '), isBad: isBad ?? false })),
      seconds: secondsSince(state, { afterSecond, nowUs: this.#options.nowUs() }),
      outcome: this.#options.outcome() ?? null,
    }
  }
}

const eventText = (event: LiveEvent): string => `data: ${JSON.stringify(event)}\n\n`
