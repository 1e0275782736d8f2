/** What the broker holds at an instant, as plain data, for tests and for people at the control port. */
import type { Connection } from './connection/connection.ts'
import type { VirtualHost } from './routing/virtual-host.ts'

export interface BrokerState {
  /** Connections that are open, in the order they came. */
  readonly connections: readonly {
    readonly id: number
    readonly remotePort: number | undefined
    readonly name: string | undefined
    readonly heartbeatSeconds: number
    /** Whether an alarm keeps it from being read. */
    readonly isBlocked: boolean
    readonly channels: number
    readonly consumers: number
    readonly published: number
  }[]
  /** Without the default exchange. */
  readonly exchanges: readonly { readonly name: string; readonly type: string; readonly bindings: number }[]
  readonly queues: readonly {
    readonly name: string
    readonly isExclusive: boolean
    /** Waiting; what was delivered and not acknowledged is not among them. */
    readonly messages: number
    readonly consumers: number
  }[]
  /** What only a fault of the broker's own can have caused, in words; empty unless the broker is wrong. */
  readonly faultsOfOurs: readonly string[]
}

export function stateOf(connections: Iterable<Connection>, virtualHost: VirtualHost, faultsOfOurs: readonly string[]): BrokerState {
  return {
    connections: [...connections]
      .filter((connection) => connection.isRunning)
      .map(({ id, remotePort, agreement, isBlocked, channels, publishedCount }) => ({
        id,
        remotePort,
        name: agreement.connectionName,
        heartbeatSeconds: agreement.heartbeatSeconds,
        isBlocked,
        channels: channels.open.length,
        consumers: channels.consumerCount,
        published: publishedCount,
      })),
    exchanges: [...virtualHost.exchanges]
      .filter(({ traits }) => traits.name !== '')
      .map(({ traits, bindingCount }) => ({ name: traits.name, type: traits.type, bindings: bindingCount })),
    queues: [...virtualHost.queues].map(({ traits, messageCount, consumerCount }) => ({
      name: traits.name,
      isExclusive: traits.owner !== undefined,
      messages: messageCount,
      consumers: consumerCount,
    })),
    faultsOfOurs: [...faultsOfOurs],
  }
}
