/**
 * The control port: faults on demand and the truth about them, for tests and for people at a second terminal. It is no part of
 * what a broker speaks.
 *
 *   POST /faults   one fault as JSON, e.g. {"kind":"nack","every":7}; see faults/fault.ts
 *   GET  /truth    the truth log, a line of JSON per entry
 *   GET  /state    connections, exchanges and queues
 */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { describeError } from '../errors.ts'
import type { Fault } from './faults/fault.ts'
import { listen, urlHost } from './listen.ts'
import type { BrokerState } from './state.ts'

const BODY_LIMIT_BYTES = 65_536

export interface Controlled {
  inject(fault: Fault): void
  truthLines(): string
  state(): BrokerState
}

export interface ControlPort {
  readonly url: string
  close(): Promise<void>
}

/** Rejects with `settings-invalid` when the address cannot be had. */
export async function openControlPort(controlled: Controlled, host: string, port: number): Promise<ControlPort> {
  const server = createServer((request, response) => {
    answer(controlled, request, response).catch((error) => {
      if (response.headersSent) response.destroy()
      else sendJson(response, 400, { error: describeError(error) })
    })
  })
  const boundPort = await listen(server, host, port)
  return {
    url: `http://${urlHost(host)}:${boundPort}`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

async function answer(controlled: Controlled, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const asked = `${request.method} ${request.url}`
  switch (asked) {
    case 'POST /faults':
      controlled.inject(JSON.parse(await readBody(request)))
      return sendJson(response, 200, controlled.state())
    case 'GET /truth':
      response.writeHead(200, { 'Content-Type': 'application/x-ndjson' }).end(controlled.truthLines())
      return
    case 'GET /state':
      return sendJson(response, 200, controlled.state())
    default:
      return sendJson(response, 404, { error: `There is no ${asked} here` })
  }
}

function sendJson(response: ServerResponse, status: number, value: unknown): void {
  response.writeHead(status, { 'Content-Type': 'application/json' }).end(`${JSON.stringify(value)}\n`)
}

async function readBody(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = []
  let bytes = 0
  for await (const chunk of request as AsyncIterable<Buffer>) {
    bytes += chunk.length
    if (bytes > BODY_LIMIT_BYTES) throw new RangeError(`Expected a body of at most ${BODY_LIMIT_BYTES} bytes`)
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString()
}
