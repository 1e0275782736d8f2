/**
 * The control port, on loopback: reads the truth log, changes habits, does deeds, and broadcasts without a broker. For tests and
 * for people at a second terminal; it is no part of what a broadcast server speaks.
 *
 *   GET /truth        lines of JSON: events, then one `client` line each, then `end`
 *   GET /state        { pid, clients, consuming, broadcasts }
 *   GET, PUT /habits  the list of habits
 *   POST /deeds       one deed
 *   POST /broadcast?key=ROUTING_KEY   the body as if it had come from the broker
 */
import type { IncomingMessage, ServerResponse } from 'node:http'
import { Readable } from 'node:stream'
import { describeError } from '../errors.ts'
import type { Broadcaster } from './broadcaster.ts'
import { parseDeed, parseHabits } from './habits/parse.ts'
import { openSidePort, type SidePort } from './listen.ts'
import type { Truth } from './truth.ts'

const LOOPBACK = '127.0.0.1'
const BODY_LIMIT_BYTES = 16 * 1_048_576

export const openControlPort = (broadcaster: Broadcaster, truth: Truth, port: number): Promise<SidePort> =>
  openSidePort({ host: LOOPBACK, port }, '/', (request, response) => {
    answer(broadcaster, truth, request, response).catch((error) => {
      if (response.headersSent) response.destroy()
      else sendJson(response, 400, { error: describeError(error) })
    })
  })

async function answer(broadcaster: Broadcaster, truth: Truth, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const url = new URL(request.url ?? '/', `http://${LOOPBACK}`)
  switch (`${request.method} ${url.pathname}`) {
    case 'GET /truth':
      response.writeHead(200, { 'Content-Type': 'application/x-ndjson' })
      Readable.from(truth.lines()).pipe(response)
      return
    case 'GET /state':
      return sendJson(response, 200, stateOf(broadcaster, truth))
    case 'PUT /habits':
      broadcaster.setHabits(parseHabits(JSON.parse((await readBody(request)).toString())))
      return sendJson(response, 200, broadcaster.habits)
    case 'GET /habits':
      return sendJson(response, 200, broadcaster.habits)
    case 'POST /deeds':
      await broadcaster.act(parseDeed(JSON.parse((await readBody(request)).toString())))
      return sendJson(response, 200, stateOf(broadcaster, truth))
    case 'POST /broadcast':
      broadcaster.broadcast(url.searchParams.get('key') ?? '', await readBody(request))
      return sendJson(response, 200, stateOf(broadcaster, truth))
    default:
      return sendJson(response, 404, { error: `There is no ${request.method} ${url.pathname} here` })
  }
}

const stateOf = ({ clientCount, isConsuming }: Broadcaster, { log }: Truth) => ({
  pid: process.pid,
  clients: clientCount,
  consuming: isConsuming,
  broadcasts: log.length,
})

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
