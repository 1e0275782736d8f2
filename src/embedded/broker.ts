/**
 * The embedded AMQP 0-9-1 broker: a small server on loopback for trying fanfare with nothing installed, for tests, and for
 * faults on demand. It speaks the real wire protocol with a codec of its own, so that a fault in a client's codec shows. Nothing
 * is durable, there is one virtual host, and published figures come from RabbitMQ, never from here.
 */
import { createServer, type Server, type Socket } from 'node:net'
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

/** Resolves when the broker listens; rejects with the system's error when it cannot. */
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
    url: `amqp://${encodeURIComponent(rules.user)}:${encodeURIComponent(rules.password)}@${host}:${port}${rules.virtualHost === '/' ? '' : `/${encodeURIComponent(rules.virtualHost)}`}`,
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
    server.once('error', reject)
    server.listen({ host, port }, () => {
      server.off('error', reject)
      const address = server.address()
      resolve(typeof address === 'object' && address !== null ? address.port : port)
    })
  })
}
