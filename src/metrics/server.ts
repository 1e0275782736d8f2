/**
 * The HTTP side of the metrics port: /metrics, /healthz and /readyz, and whatever pages it is given. It reads and never
 * changes anything; it knows nothing of runs.
 */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Registry } from 'prom-client'
import { describeError, FanfareError } from '../errors.ts'
import { secondsToMs } from '../units.ts'

/** A request line and headers that take longer than this are not from a scraper. */
const REQUEST_TIMEOUT_MS = secondsToMs(10)

/** Answers one path; `GET` and `HEAD` only. May keep the response open. */
export type Page = (request: IncomingMessage, response: ServerResponse) => void | Promise<void>

export interface MetricsServerOptions {
  readonly host: string
  /** 0 takes a free one. */
  readonly port: number
  readonly registry: Registry
  /** All of this process's clients are ready (and stay so until the run ends). */
  readonly isReady: () => boolean
  /** Further pages by exact path. */
  readonly pages?: Readonly<Record<string, Page>>
}

export interface MetricsServer {
  /** `http://host:port`, with the port that was taken. */
  readonly url: string
  readonly port: number
  /** Ends open responses as well. Idempotent. */
  close(): Promise<void>
}

/** Listens before it resolves. Throws FanfareError metrics-port-taken. */
export async function startMetricsServer(options: MetricsServerOptions): Promise<MetricsServer> {
  const pages: Record<string, Page> = { ...options.pages, ...ownPages(options) }
  const server = createServer((request, response) => void answer(pages, request, response))
  server.requestTimeout = REQUEST_TIMEOUT_MS
  await listen(server, options)
  const { port } = server.address() as AddressInfo
  return { url: `http://${hostInUrl(options.host)}:${port}`, port, close: () => close(server) }
}

const ownPages = ({ registry, isReady }: MetricsServerOptions): Record<string, Page> => ({
  '/metrics': async (_request, response) => {
    const text = await registry.metrics()
    response.writeHead(200, { 'content-type': registry.contentType })
    response.end(text)
  },
  '/healthz': (_request, response) => sayText(response, 200, 'ok'),
  '/readyz': (_request, response) => (isReady() ? sayText(response, 200, 'ready') : sayText(response, 503, 'not ready')),
})

async function answer(pages: Readonly<Record<string, Page>>, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const path = (request.url ?? '/').split('?', 1)[0]!
  const page = Object.hasOwn(pages, path) ? pages[path] : undefined
  if (page === undefined) return sayText(response, 404, `nothing here; there are ${Object.keys(pages).sort().join(' ')}`)
  if (request.method !== 'GET' && request.method !== 'HEAD') {
    response.setHeader('allow', 'GET, HEAD')
    return sayText(response, 405, 'this port only shows; it changes nothing')
  }
  try {
    await page(request, response)
  } catch (error) {
    if (response.headersSent) response.destroy()
    else sayText(response, 500, describeError(error))
  }
}

function sayText(response: ServerResponse, status: number, text: string): void {
  response.writeHead(status, { 'content-type': 'text/plain; charset=utf-8' })
  response.end(`${text}\n`)
}

const listen = (server: Server, { host, port }: MetricsServerOptions): Promise<void> =>
  new Promise((resolve, reject) => {
    const refuse = (error: NodeJS.ErrnoException) => reject(translate(error, host, port))
    server.once('error', refuse)
    server.listen({ host, port }, () => {
      server.off('error', refuse)
      resolve()
    })
  })

function translate(error: NodeJS.ErrnoException, host: string, port: number): FanfareError {
  const address = `${host}:${port}`
  const sentences: Record<string, string> = {
    EADDRINUSE: `The metrics address ${address} is taken: free it, or set METRICS_PORT to another port (0 takes a free one)`,
    EACCES: `The metrics address ${address} may not be bound by this user: set METRICS_PORT to 1024 or more`,
    EADDRNOTAVAIL: `The metrics address ${address} is not an address of this machine: set METRICS_HOST`,
    ENOTFOUND: `The metrics host ${host} could not be resolved: set METRICS_HOST`,
  }
  return new FanfareError(
    'metrics-port-taken',
    sentences[error.code ?? ''] ?? `The metrics address ${address} cannot be used: ${error.message}`,
    {
      cause: error,
    },
  )
}

const close = (server: Server): Promise<void> =>
  new Promise((resolve) => {
    if (!server.listening) return resolve()
    server.close(() => resolve())
    server.closeAllConnections()
  })

const hostInUrl = (host: string): string => (host.includes(':') ? `[${host}]` : host)
