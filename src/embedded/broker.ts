/**
 * The embedded AMQP 0-9-1 broker: a small server on loopback for trying fanfare with nothing installed, for tests, and for
 * faults on demand. It speaks the real wire protocol with a codec of its own, so that a fault in a client's codec shows. Nothing
 * is durable, there is one virtual host, and published figures come from RabbitMQ, never from here.
 */
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net'
import { describeError, FanfareError } from '../errors.ts'
import { AmqpError } from './amqp-error.ts'
import { Connection } from './connection/connection.ts'
import type { HandshakeRules } from './connection/handshake.ts'
import { StandingFaults } from './faults/standing-faults.ts'
import { TruthLog } from './faults/truth-log.ts'
import { VirtualHost } from './routing/virtual-host.ts'

export interface BrokerOptions {
  /** Default 127.0.0.1. */
  readonly host?: string
  /** Default 0: any free one. */
  readonly port?: number
  /** Default guest. */
  readonly user?: string
  /** Default guest. */
  readonly password?: string
  /** The one virtual host; default `/`. */
  readonly virtualHost?: string
  /** What the broker proposes; clients may ask for less or more, or for 0 (none). Default 60. */
  readonly heartbeatSeconds?: number
}

export interface Broker {
  readonly host: string
  readonly port: number
  /** With user and password. */
  readonly url: string
  /** Tells all clients, ends all connections within about two seconds and frees the port. Idempotent. */
  close(): Promise<void>
}

const DEFAULT_HOST = '127.0.0.1'
const DEFAULT_USER = 'guest'
const DEFAULT_PASSWORD = 'guest'
/** RabbitMQ's own defaults. */
const CHANNEL_MAX = 2047
const FRAME_MAX_BYTES = 131_072
const HEARTBEAT_SECONDS = 60

/** Resolves when the broker listens; rejects with `settings-invalid` when the address cannot be had. */
export async function startBroker(options: BrokerOptions = {}): Promise<Broker> {
  const rules: HandshakeRules = {
    user: options.user ?? DEFAULT_USER,
    password: options.password ?? DEFAULT_PASSWORD,
    virtualHost: options.virtualHost ?? '/',
    channelMax: CHANNEL_MAX,
    frameMaxBytes: FRAME_MAX_BYTES,
    heartbeatSeconds: options.heartbeatSeconds ?? HEARTBEAT_SECONDS,
  }
  const truth = new TruthLog(undefined)
  const faults = new StandingFaults(truth)
  const virtualHost = new VirtualHost(rules.virtualHost)
  const connections = new Set<Connection>()
  const server = createServer()
  let lastId = 0
  const around = { rules, virtualHost, faults, truth, onClosed: (connection: Connection) => void connections.delete(connection) }
  server.on('connection', (socket: Socket) => {
    connections.add(new Connection(++lastId, socket, around))
  })
  const host = options.host ?? DEFAULT_HOST
  const port = await listen(server, host, options.port ?? 0)
  return {
    host,
    port,
    url: urlOf(rules, host, port),
    close: () => {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()))
      for (const connection of connections)
        connection.closeWith(new AmqpError(320, "broker forced connection closure with reason 'shutdown'"))
      return closed
    },
  }
}

function listen(server: Server, host: string, port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', (error) => {
      const sentence = `The embedded broker cannot listen on ${host}:${port}: ${describeError(error)}`
      reject(new FanfareError('settings-invalid', sentence, { cause: error }))
    })
    server.listen({ host, port }, () => resolve((server.address() as AddressInfo).port))
  })
}

function urlOf({ user, password, virtualHost }: HandshakeRules, host: string, port: number): string {
  const path = virtualHost === '/' ? '' : `/${encodeURIComponent(virtualHost)}`
  return `amqp://${encodeURIComponent(user)}:${encodeURIComponent(password)}@${urlHost(host)}:${port}${path}`
}

/** A listening host as others may dial it: the address for all interfaces is none to connect to. */
function urlHost(host: string): string {
  if (host === '0.0.0.0' || host === '::') return DEFAULT_HOST
  return host.includes(':') ? `[${host}]` : host
}
