/**
 * Where faults are asked for. Standing ones are put up for connections and channels to run into; deeds are done here. What was
 * asked and what was done goes into the truth log.
 */
import { FanfareError } from '../../errors.ts'
import { AmqpError } from '../amqp-error.ts'
import type { Connection } from '../connection/connection.ts'
import type { VirtualHost } from '../routing/virtual-host.ts'
import type { Deed, Fault, Selector } from './fault.ts'
import { parseFault } from './parse-fault.ts'
import type { StandingFaults } from './standing-faults.ts'
import type { TruthLog } from './truth-log.ts'

/** What a fault can be about. */
export interface Faultable {
  readonly connections: ReadonlySet<Connection>
  readonly virtualHost: VirtualHost
  readonly standing: StandingFaults
  readonly truth: TruthLog
}

/** What a code says when no text was asked for. */
const DEFAULT_TEXT = 'closed on demand'

export class FaultDesk {
  readonly #parts: Faultable

  constructor(parts: Faultable) {
    this.#parts = parts
  }

  /** Throws `settings-invalid`, and does nothing, when the fault makes no sense or names an exchange or queue that is not there. */
  inject(fault: Fault): void {
    const checked = parseFault(fault)
    this.#expectNamesExist(checked)
    this.#parts.truth.note({ fault: checked.kind, did: 'injected', asked: checked })
    switch (checked.kind) {
      case 'clear':
        this.#clear(checked)
        break
      case 'close-channels':
        this.#closeChannels(checked)
        break
      case 'close-connections':
        this.#closeConnections(checked)
        break
      case 'drop-sockets':
        this.#dropSockets(checked)
        break
      case 'delete-exchange':
        this.#parts.virtualHost.removeExchange(checked.exchange)
        this.#parts.truth.note({ fault: checked.kind, did: 'exchange-deleted', exchange: checked.exchange })
        break
      case 'delete-queue': {
        const messages = this.#parts.virtualHost.removeQueue(checked.queue)
        this.#parts.truth.note({ fault: checked.kind, did: 'queue-deleted', queue: checked.queue, messages })
        break
      }
      default:
        this.#parts.standing.set(checked)
    }
  }

  #clear({ of }: Extract<Deed, { kind: 'clear' }>): void {
    const { standing, connections, virtualHost } = this.#parts
    standing.clear(of)
    if (standing.alarmReason === undefined) for (const connection of connections) connection.unblock()
    for (const queue of virtualHost.queues) queue.handOut()
  }

  #closeChannels({ kind, code, text, on }: Extract<Deed, { kind: 'close-channels' }>): void {
    const error = new AmqpError(code, text ?? DEFAULT_TEXT)
    for (const connection of this.#selected(on)) {
      for (const [channel] of connection.channels.open) {
        connection.channels.closeWith(channel, error, undefined)
        this.#parts.truth.note({ fault: kind, did: 'channel-closed', ...whichOf(connection), channel, code })
      }
    }
  }

  #closeConnections({ kind, code, text, on }: Extract<Deed, { kind: 'close-connections' }>): void {
    for (const connection of this.#selected(on)) {
      connection.closeWith(new AmqpError(code, text ?? DEFAULT_TEXT))
      this.#parts.truth.note({ fault: kind, did: 'connection-closed', ...whichOf(connection), code })
    }
  }

  #dropSockets({ kind, how, on }: Extract<Deed, { kind: 'drop-sockets' }>): void {
    for (const connection of this.#selected(on)) {
      connection.drop(how)
      this.#parts.truth.note({ fault: kind, did: 'socket-dropped', ...whichOf(connection), how })
    }
  }

  #selected({ connection: id, name, role }: Selector = {}): Connection[] {
    return [...this.#parts.connections].filter((connection) => {
      if (id !== undefined && connection.id !== id) return false
      if (name !== undefined && connection.agreement.connectionName !== name) return false
      if (role === 'publisher') return connection.publishedCount > 0
      if (role === 'consumer') return connection.channels.consumerCount > 0
      return true
    })
  }

  #expectNamesExist(fault: Fault): void {
    const { virtualHost } = this.#parts
    // The default exchange has no name, and is no exchange that could be deleted.
    if (fault.kind === 'delete-exchange' && (fault.exchange === '' || virtualHost.exchangeIfAny(fault.exchange) === undefined)) {
      throw new FanfareError('settings-invalid', `Expected an exchange to delete, got \`${fault.exchange}\`, which is not there`)
    }
    if (fault.kind === 'delete-queue' && !virtualHost.hasQueue(fault.queue)) {
      throw new FanfareError('settings-invalid', `Expected a queue to delete, got \`${fault.queue}\`, which is not there`)
    }
  }
}

const whichOf = ({ id, remotePort, publishedCount }: Connection) => ({ connection: id, remotePort, published: publishedCount })
