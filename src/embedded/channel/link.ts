/** What a channel may ask of its connection and its broker. */
import type { MethodArgs, MethodName } from '../codec/methods.ts'
import type { StandingFaults } from '../faults/standing-faults.ts'
import type { Message } from '../routing/message.ts'
import type { VirtualHost } from '../routing/virtual-host.ts'

export interface ChannelLink {
  /** The broker's number for the connection. */
  readonly connection: number
  /** The channel's number on it. */
  readonly channel: number
  /** Stands for the connection where exclusive queues ask whose they are. */
  readonly owner: object
  readonly user: string
  readonly virtualHost: VirtualHost
  readonly faults: StandingFaults
  /** Whether the client understands a `basic.cancel` from the server. */
  understandsCancel(): boolean
  /** One more message was published over the connection. */
  countPublish(): void
  /** Whether so much is on its way to the client that deliveries should wait. */
  isCongested(): boolean
  send<Name extends MethodName>(name: Name, args: MethodArgs<Name>): void
  sendContent<Name extends MethodName>(name: Name, args: MethodArgs<Name>, message: Message): void
  /** Has the channel's saved-up confirms written at the end of this pass of the event loop. */
  confirmSoon(): void
}
