/**
 * The opening of one connection, carried out: sends what handshake.ts decides and puts what was agreed into force.
 */
import { AmqpError } from '../amqp-error.ts'
import type { Method } from '../codec/methods.ts'
import type { StandingFaults } from '../faults/standing-faults.ts'
import { type Agreement, advanceHandshake, type HandshakeRules, type HandshakeStage, serverGreeting } from './handshake.ts'
import type { Outbox } from './outbox.ts'

export interface OpeningParts {
  /** The broker's number for the connection. */
  readonly connection: number
  readonly rules: HandshakeRules
  readonly faults: StandingFaults
  readonly outbox: Outbox
  readonly agreement: Agreement
  /** Sizes and heartbeats are agreed on. */
  tuned(): void
}

export class Opening {
  readonly #parts: OpeningParts
  #stage: HandshakeStage = 'starting'

  constructor(parts: OpeningParts) {
    this.#parts = parts
  }

  /** RabbitMQ tells a client why it was not let in only when the client says it understands. */
  get endsInSilence(): boolean {
    return this.#stage === 'starting' && !this.#parts.agreement.understands('authentication_failure_close')
  }

  /** The protocol header has come. */
  begin(): void {
    this.#parts.outbox.method(0, 'connection.start', serverGreeting)
  }

  /** Takes the next method; true when the connection is open. Throws AmqpError. */
  advance(channel: number, method: Method): boolean {
    const { connection, rules, faults, outbox, agreement } = this.#parts
    if (channel !== 0) throw new AmqpError(504, `unexpected method in connection state ${this.#stage}`)
    const next = advanceHandshake(this.#stage, method, rules, agreement)
    faults.checkMethod(method.name, { connection, channel })
    if (next === 'running') {
      outbox.method(0, 'connection.open-ok', { knownHosts: '' })
      return true
    }
    this.#stage = next
    if (next === 'tuning') {
      const { channelMax, frameMaxBytes, heartbeatSeconds } = rules
      outbox.method(0, 'connection.tune', { channelMax, frameMax: frameMaxBytes, heartbeat: heartbeatSeconds })
    } else {
      this.#parts.tuned()
    }
    return false
  }
}
