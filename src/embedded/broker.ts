/**
 * The embedded AMQP 0-9-1 broker: a small server on loopback for trying fanfare with nothing installed, for tests, and for
 * faults on demand. It speaks the real wire protocol with a codec of its own, so that a fault in a client's codec shows. Nothing
 * is durable, there is one virtual host, and published figures come from RabbitMQ, never from here.
 */
import { createServer, type Socket } from 'node:net'
import { describeError } from '../errors.ts'
import { AmqpError } from './amqp-error.ts'
import { Connection, type ConnectionSurroundings } from './connection/connection.ts'
import type { HandshakeRules } from './connection/handshake.ts'
import { type ControlPort, openControlPort } from './control-port.ts'
import type { Fault } from './faults/fault.ts'
import { FaultDesk } from './faults/fault-desk.ts'
import { StandingFaults } from './faults/standing-faults.ts'
import { type TruthEntry, TruthLog } from './faults/truth-log.ts'
import { listen, urlHost } from './listen.ts'
import { VirtualHost } from './routing/virtual-host.ts'
import { type BrokerState, stateOf } from './state.ts'

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
  /** What the broker proposes; clients may ask for another, or for 0 (none). Default 60. */
  readonly heartbeatSeconds?: number
  /** The largest frame the broker takes; default 131,072 bytes, at least 4,096. */
  readonly frameMaxBytes?: number
  /** Opens the control port on loopback, 0 on any free port; none by default. */
  readonly controlPort?: number
  /** Gets the truth log as lines of JSON, appended; none by default. */
  readonly truthFile?: string
}

export interface Broker {
  readonly host: string
  readonly port: number
  /** With user and password. */
  readonly url: string
  /** Undefined without a control port. */
  readonly controlUrl: string | undefined
  /** Makes the broker misbehave. */
  readonly faults: Pick<FaultDesk, 'inject'>
  /** What it did on request so far; grows. */
  readonly truth: readonly TruthEntry[]
  state(): BrokerState
  /** Tells all clients, ends all connections within about two seconds and frees the ports. Idempotent. */
  close(): Promise<void>
}

const LOOPBACK = '127.0.0.1'
/** RabbitMQ's own defaults. */
const CHANNEL_MAX = 2047
const FRAME_MAX_BYTES = 131_072
const HEARTBEAT_SECONDS = 60

/** Resolves when the broker listens; rejects with `settings-invalid` when an address cannot be had. */
export async function startBroker(options: BrokerOptions = {}): Promise<Broker> {
  const rules = rulesOf(options)
  const truth = new TruthLog(options.truthFile)
  const standing = new StandingFaults(truth)
  const virtualHost = new VirtualHost(rules.virtualHost)
  const connections = new Set<Connection>()
  const desk = new FaultDesk({ connections, virtualHost, standing, truth })
  const faultsOfOurs: string[] = []
  const state = () => stateOf(connections, virtualHost, faultsOfOurs)

  const around: ConnectionSurroundings = {
    rules,
    virtualHost,
    faults: standing,
    truth,
    onFaultOfOurs: (error) => void faultsOfOurs.push(describeError(error)),
    onClosed: (connection) => void connections.delete(connection),
  }
  let lastId = 0
  const server = createServer((socket: Socket) => {
    const refusal = standing.refusesConnection(socket.remotePort)
    if (refusal === undefined) connections.add(new Connection(++lastId, socket, around))
    else refuse(socket, refusal)
  })

  const host = options.host ?? LOOPBACK
  const port = await listen(server, host, options.port ?? 0)
  let control: ControlPort | undefined
  if (options.controlPort !== undefined) {
    const controlled = { inject: (fault: Fault) => desk.inject(fault), truthLines: () => truth.lines(), state }
    control = await openControlPort(controlled, LOOPBACK, options.controlPort).catch((error) => {
      server.close()
      throw error
    })
  }
  return {
    host,
    port,
    url: urlOf(rules, host, port),
    controlUrl: control?.url,
    faults: desk,
    truth: truth.entries,
    state,
    close: async () => {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()))
      for (const connection of connections)
        connection.closeWith(new AmqpError(320, "broker forced connection closure with reason 'shutdown'"))
      await Promise.all([closed, control?.close()])
    },
  }
}

const rulesOf = (options: BrokerOptions): HandshakeRules => ({
  user: options.user ?? 'guest',
  password: options.password ?? 'guest',
  virtualHost: options.virtualHost ?? '/',
  channelMax: CHANNEL_MAX,
  frameMaxBytes: options.frameMaxBytes ?? FRAME_MAX_BYTES,
  heartbeatSeconds: options.heartbeatSeconds ?? HEARTBEAT_SECONDS,
})

function refuse(socket: Socket, how: 'reset' | 'end'): void {
  socket.on('error', () => undefined)
  if (how === 'reset') socket.resetAndDestroy()
  else socket.destroy()
}

function urlOf({ user, password, virtualHost }: HandshakeRules, host: string, port: number): string {
  const path = virtualHost === '/' ? '' : `/${encodeURIComponent(virtualHost)}`
  return `amqp://${encodeURIComponent(user)}:${encodeURIComponent(password)}@${urlHost(host)}:${port}${path}`
}
