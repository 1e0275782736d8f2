/**
 * The opening of a connection, decided without a socket: what the client says, what is answered, and where that leads.
 *
 *   stage    | the client says                        | answer              | next
 *   ---------|----------------------------------------|---------------------|--------
 *   starting | connection.start-ok, good login        | connection.tune     | tuning
 *            | … bad login                            | 403                 |
 *   tuning   | connection.tune-ok within the limits   | nothing             | opening
 *            | … outside of them                      | 530                 |
 *   opening  | connection.open, the host served here  | connection.open-ok  | running
 *            | … another host                         | 530                 |
 *   any      | anything else                          | 504                 |
 */
import { AmqpError } from '../amqp-error.ts'
import { EMPTY_TABLE, type FieldTable, tableOf } from '../codec/field-table.ts'
import type { Method, MethodArgs } from '../codec/methods.ts'

/** The largest frame before tuning: the least that AMQP lets a peer ask for. */
export const UNTUNED_FRAME_MAX_BYTES = 4096

export type HandshakeStage = 'starting' | 'tuning' | 'opening'

/** What this broker expects and offers. */
export interface HandshakeRules {
  readonly user: string
  readonly password: string
  readonly virtualHost: string
  readonly channelMax: number
  readonly frameMaxBytes: number
  readonly heartbeatSeconds: number
}

/** What the client told about itself and what was agreed; filled in as the handshake goes on. */
export class Agreement {
  clientProperties: FieldTable = EMPTY_TABLE
  channelMax = 0
  frameMaxBytes = 0
  heartbeatSeconds = 0

  /** The client's `connection_name`. */
  get connectionName(): string | undefined {
    const name = this.clientProperties.get('connection_name')
    return name?.type === 'longstr' ? name.value : undefined
  }

  /** Whether the client has that capability. */
  understands(extension: string): boolean {
    const capabilities = this.clientProperties.get('capabilities')
    return capabilities?.type === 'table' && capabilities.value.get(extension)?.value === true
  }
}

export const serverGreeting: MethodArgs<'connection.start'> = {
  versionMajor: 0,
  versionMinor: 9,
  serverProperties: tableOf({
    product: 'fanfare embedded broker',
    platform: 'Node.js',
    information: 'For trying things and for tests: nothing is kept, nothing is replicated.',
    capabilities: {
      publisher_confirms: true,
      exchange_exchange_bindings: true,
      'basic.nack': true,
      consumer_cancel_notify: true,
      'connection.blocked': true,
      per_consumer_qos: true,
      authentication_failure_close: true,
    },
  }),
  mechanisms: Buffer.from('PLAIN'),
  locales: Buffer.from('en_US'),
}

/** Takes one method of the opening, notes what was agreed and returns the next stage. Throws AmqpError. */
export function advanceHandshake(
  stage: HandshakeStage,
  method: Method,
  rules: HandshakeRules,
  agreement: Agreement,
): HandshakeStage | 'running' {
  if (stage === 'starting' && method.name === 'connection.start-ok') {
    // Noted before the login is judged: capabilities say how a refusal is to be told.
    agreement.clientProperties = method.args.clientProperties
    expectLogin(method.args, rules)
    return 'tuning'
  }
  if (stage === 'tuning' && method.name === 'connection.tune-ok') {
    expectWithin('channel_max', method.args.channelMax, 1, rules.channelMax)
    expectWithin('frame_max', method.args.frameMax, UNTUNED_FRAME_MAX_BYTES, rules.frameMaxBytes)
    agreement.channelMax = method.args.channelMax
    agreement.frameMaxBytes = method.args.frameMax
    agreement.heartbeatSeconds = method.args.heartbeat
    return 'opening'
  }
  if (stage === 'opening' && method.name === 'connection.open') {
    if (method.args.virtualHost !== rules.virtualHost) throw new AmqpError(530, `vhost ${method.args.virtualHost} not found`)
    return 'running'
  }
  throw new AmqpError(504, `unexpected method in connection state ${stage}`)
}

function expectLogin({ mechanism, response }: MethodArgs<'connection.start-ok'>, rules: HandshakeRules): void {
  if (mechanism !== 'PLAIN') throw new AmqpError(403, `login with unsupported mechanism '${mechanism}'`)
  const [, user, password, ...rest] = response.toString().split('\0')
  if (user === rules.user && password === rules.password && rest.length === 0) return
  throw new AmqpError(403, 'Login was refused using authentication mechanism PLAIN. For details see the broker logfile.')
}

function expectWithin(what: string, value: number, min: number, max: number): void {
  if (value < min) throw new AmqpError(530, `negotiated ${what} = ${value} is lower than the minimum allowed value (${min})`)
  if (value > max) throw new AmqpError(530, `negotiated ${what} = ${value} is higher than the maximum allowed value (${max})`)
}
