/**
 * Opens one AMQP connection, whatever it is for: login, socket options, and a plain sentence when it does not work. It opens no channel and
 * never tries again.
 */
import { type ChannelModel, connect } from 'amqplib'
import type { AmqpAddress } from './amqp-address.ts'
import { explainConnectFailure } from './amqp-failure.ts'

/** For amqps: the contents of PEM files, and whether the broker's certificate must be a good one. */
export interface LinkTls {
  readonly ca?: Buffer
  readonly cert?: Buffer
  readonly key?: Buffer
  readonly rejectUnauthorized: boolean
}

export interface DialAsk {
  readonly address: AmqpAddress
  readonly tls: LinkTls
  /** What RabbitMQ shows in its list of connections. */
  readonly connectionName: string
}

/** `signal` destroys the connection, at any time of its life. Throws FanfareError, or the library's error when it was cut off. */
export async function dialBroker({ address, tls, connectionName }: DialAsk, signal: AbortSignal): Promise<ChannelModel> {
  const login = { username: address.username, password: address.password, vhost: address.vhost, heartbeat: address.heartbeatSeconds }
  const endpoint = { protocol: address.isTls ? 'amqps' : 'amqp', hostname: address.host, port: address.port }
  // `signal` is an option of Node's sockets: aborting destroys this connection's, at any time of its life.
  const socketOptions = {
    noDelay: true,
    clientProperties: { connection_name: connectionName },
    signal,
    ...(address.isTls && tls),
  }
  try {
    return await connect({ ...endpoint, ...login }, socketOptions)
  } catch (error) {
    if (signal.aborted) throw error
    throw await explainConnectFailure(error, address)
  }
}
