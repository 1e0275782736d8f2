/**
 * The control port, on loopback: reads the truth log, changes habits, does deeds, and broadcasts without a broker. For tests and
 * for people at a second terminal; it is no part of what a broadcast server speaks.
 *
 *   GET /truth        lines of JSON: events, then one `client` line each, then `end`
 *   GET /state        { clients, consuming, broadcasts }
 *   GET, PUT /habits  the list of habits
 *   POST /deeds       one deed
 *   POST /broadcast?key=ROUTING_KEY   the body as if it had come from the broker
 */
import type { IncomingMessage, ServerResponse } from 'node:http'
import { Readable } from 'node:stream'
import { describeError } from '../errors.ts'
import type { Deed, Habit } from './habits/habit.ts'
import { parseDeed, parseHabits } from './habits/parse.ts'
import { openSidePort, type SidePort } from './listen.ts'

const LOOPBACK = '127.0.0.1'
const BODY_LIMIT_BYTES = 16 * 1_048_576

export interface Controlled {
  readonly habits: readonly Habit[]
  truthLines(): Iterable<string>
  state(): Readonly<Record<string, unknown>>
  setHabits(habits: readonly Habit[]): void
  act(deed: Deed): Promise<void>
  broadcast(routingKey: string, body: Uint8Array): void
}

export const openControlPort = (controlled: Controlled, port: number): Promise<SidePort> =>
  openSidePort({ host: LOOPBACK, port }, '/', (request, response) => {
    answer(controlled, request, response).catch((error) => {
      if (response.headersSent) response.destroy()
      else sendJson(response, 400, { error: describeError(error) })
    })
  })

async function answer(controlled: Controlled, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const url = new URL(request.url ?? '/', `http://${LOOPBACK}`)
  switch (`${request.method} ${url.pathname}`) {
    case 'GET /truth':
      response.writeHead(200, { 'Content-Type': 'application/x-ndjson' })
      Readable.from(controlled.truthLines()).pipe(response)
      return
    case 'GET /state':
      return sendJson(response, 200, controlled.state())
    case 'PUT /habits':
      controlled.setHabits(parseHabits(JSON.parse((await readBody(request)).toString())))
      return sendJson(response, 200, controlled.habits)
    case 'GET /habits':
      return sendJson(response, 200, controlled.habits)
    case 'POST /deeds':
      await controlled.act(parseDeed(JSON.parse((await readBody(request)).toString())))
      return sendJson(response, 200, controlled.state())
    case 'POST /broadcast':
      controlled.broadcast(url.searchParams.get('key') ?? '', await readBody(request))
      return sendJson(response, 200, controlled.state())
    default:
      return sendJson(response, 404, { error: `There is no ${request.method} ${url.pathname} here` })
  }
}

function sendJson(response: ServerResponse, status: number, value: unknown): void {
  response.writeHead(status, { 'Content-Type': 'application/json' }).end(`${JSON.stringify(value)}\n`)
}

async function readBody(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = []
  let bytes = 0
  for await (const chunk of request as AsyncIterable<Buffer>) {
    bytes += chunk.length
    if (bytes > BODY_LIMIT_BYTES) throw new RangeError(`Expected a body of at most ${BODY_LIMIT_BYTES} bytes`)
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}
