/**
 * The methods of AMQP 0-9-1 this broker reads or writes, with RabbitMQ's extensions, as one table: ids and arguments in
 * wire order. Types, decoder and encoder follow from it. Consecutive bits share an octet.
 */
import type { FieldTable } from './field-table.ts'

interface WireTypes {
  bit: boolean
  octet: number
  short: number
  long: number
  longlong: number
  shortstr: string
  longstr: Buffer
  table: FieldTable
}

export type WireType = keyof WireTypes

interface MethodShape {
  readonly classId: number
  readonly methodId: number
  readonly args: Readonly<Record<string, WireType>>
}

const closing = { replyCode: 'short', replyText: 'shortstr', classId: 'short', methodId: 'short' } as const

export const methodTable = {
  'connection.start': {
    classId: 10,
    methodId: 10,
    args: { versionMajor: 'octet', versionMinor: 'octet', serverProperties: 'table', mechanisms: 'longstr', locales: 'longstr' },
  },
  'connection.start-ok': {
    classId: 10,
    methodId: 11,
    args: { clientProperties: 'table', mechanism: 'shortstr', response: 'longstr', locale: 'shortstr' },
  },
  'connection.tune': { classId: 10, methodId: 30, args: { channelMax: 'short', frameMax: 'long', heartbeat: 'short' } },
  'connection.tune-ok': { classId: 10, methodId: 31, args: { channelMax: 'short', frameMax: 'long', heartbeat: 'short' } },
  'connection.open': { classId: 10, methodId: 40, args: { virtualHost: 'shortstr', capabilities: 'shortstr', insist: 'bit' } },
  'connection.open-ok': { classId: 10, methodId: 41, args: { knownHosts: 'shortstr' } },
  'connection.close': { classId: 10, methodId: 50, args: closing },
  'connection.close-ok': { classId: 10, methodId: 51, args: {} },
  'connection.blocked': { classId: 10, methodId: 60, args: { reason: 'shortstr' } },
  'connection.unblocked': { classId: 10, methodId: 61, args: {} },

  'channel.open': { classId: 20, methodId: 10, args: { outOfBand: 'shortstr' } },
  'channel.open-ok': { classId: 20, methodId: 11, args: { channelId: 'longstr' } },
  'channel.flow': { classId: 20, methodId: 20, args: { active: 'bit' } },
  'channel.flow-ok': { classId: 20, methodId: 21, args: { active: 'bit' } },
  'channel.close': { classId: 20, methodId: 40, args: closing },
  'channel.close-ok': { classId: 20, methodId: 41, args: {} },

  'exchange.declare': {
    classId: 40,
    methodId: 10,
    args: {
      ticket: 'short',
      exchange: 'shortstr',
      type: 'shortstr',
      passive: 'bit',
      durable: 'bit',
      autoDelete: 'bit',
      internal: 'bit',
      noWait: 'bit',
      arguments: 'table',
    },
  },
  'exchange.declare-ok': { classId: 40, methodId: 11, args: {} },
  'exchange.delete': { classId: 40, methodId: 20, args: { ticket: 'short', exchange: 'shortstr', ifUnused: 'bit', noWait: 'bit' } },
  'exchange.delete-ok': { classId: 40, methodId: 21, args: {} },
  'exchange.bind': {
    classId: 40,
    methodId: 30,
    args: { ticket: 'short', destination: 'shortstr', source: 'shortstr', routingKey: 'shortstr', noWait: 'bit', arguments: 'table' },
  },
  'exchange.bind-ok': { classId: 40, methodId: 31, args: {} },
  'exchange.unbind': {
    classId: 40,
    methodId: 40,
    args: { ticket: 'short', destination: 'shortstr', source: 'shortstr', routingKey: 'shortstr', noWait: 'bit', arguments: 'table' },
  },
  'exchange.unbind-ok': { classId: 40, methodId: 51, args: {} },

  'queue.declare': {
    classId: 50,
    methodId: 10,
    args: {
      ticket: 'short',
      queue: 'shortstr',
      passive: 'bit',
      durable: 'bit',
      exclusive: 'bit',
      autoDelete: 'bit',
      noWait: 'bit',
      arguments: 'table',
    },
  },
  'queue.declare-ok': { classId: 50, methodId: 11, args: { queue: 'shortstr', messageCount: 'long', consumerCount: 'long' } },
  'queue.bind': {
    classId: 50,
    methodId: 20,
    args: { ticket: 'short', queue: 'shortstr', exchange: 'shortstr', routingKey: 'shortstr', noWait: 'bit', arguments: 'table' },
  },
  'queue.bind-ok': { classId: 50, methodId: 21, args: {} },
  'queue.purge': { classId: 50, methodId: 30, args: { ticket: 'short', queue: 'shortstr', noWait: 'bit' } },
  'queue.purge-ok': { classId: 50, methodId: 31, args: { messageCount: 'long' } },
  'queue.delete': {
    classId: 50,
    methodId: 40,
    args: { ticket: 'short', queue: 'shortstr', ifUnused: 'bit', ifEmpty: 'bit', noWait: 'bit' },
  },
  'queue.delete-ok': { classId: 50, methodId: 41, args: { messageCount: 'long' } },
  'queue.unbind': {
    classId: 50,
    methodId: 50,
    args: { ticket: 'short', queue: 'shortstr', exchange: 'shortstr', routingKey: 'shortstr', arguments: 'table' },
  },
  'queue.unbind-ok': { classId: 50, methodId: 51, args: {} },

  'basic.qos': { classId: 60, methodId: 10, args: { prefetchSize: 'long', prefetchCount: 'short', global: 'bit' } },
  'basic.qos-ok': { classId: 60, methodId: 11, args: {} },
  'basic.consume': {
    classId: 60,
    methodId: 20,
    args: {
      ticket: 'short',
      queue: 'shortstr',
      consumerTag: 'shortstr',
      noLocal: 'bit',
      noAck: 'bit',
      exclusive: 'bit',
      noWait: 'bit',
      arguments: 'table',
    },
  },
  'basic.consume-ok': { classId: 60, methodId: 21, args: { consumerTag: 'shortstr' } },
  'basic.cancel': { classId: 60, methodId: 30, args: { consumerTag: 'shortstr', noWait: 'bit' } },
  'basic.cancel-ok': { classId: 60, methodId: 31, args: { consumerTag: 'shortstr' } },
  'basic.publish': {
    classId: 60,
    methodId: 40,
    args: { ticket: 'short', exchange: 'shortstr', routingKey: 'shortstr', mandatory: 'bit', immediate: 'bit' },
  },
  'basic.return': {
    classId: 60,
    methodId: 50,
    args: { replyCode: 'short', replyText: 'shortstr', exchange: 'shortstr', routingKey: 'shortstr' },
  },
  'basic.deliver': {
    classId: 60,
    methodId: 60,
    args: { consumerTag: 'shortstr', deliveryTag: 'longlong', redelivered: 'bit', exchange: 'shortstr', routingKey: 'shortstr' },
  },
  'basic.get': { classId: 60, methodId: 70, args: { ticket: 'short', queue: 'shortstr', noAck: 'bit' } },
  'basic.get-ok': {
    classId: 60,
    methodId: 71,
    args: { deliveryTag: 'longlong', redelivered: 'bit', exchange: 'shortstr', routingKey: 'shortstr', messageCount: 'long' },
  },
  'basic.get-empty': { classId: 60, methodId: 72, args: { clusterId: 'shortstr' } },
  'basic.ack': { classId: 60, methodId: 80, args: { deliveryTag: 'longlong', multiple: 'bit' } },
  'basic.reject': { classId: 60, methodId: 90, args: { deliveryTag: 'longlong', requeue: 'bit' } },
  'basic.recover': { classId: 60, methodId: 110, args: { requeue: 'bit' } },
  'basic.recover-ok': { classId: 60, methodId: 111, args: {} },
  'basic.nack': { classId: 60, methodId: 120, args: { deliveryTag: 'longlong', multiple: 'bit', requeue: 'bit' } },

  'confirm.select': { classId: 85, methodId: 10, args: { noWait: 'bit' } },
  'confirm.select-ok': { classId: 85, methodId: 11, args: {} },
  'tx.select': { classId: 90, methodId: 10, args: {} },
} as const satisfies Record<string, MethodShape>

export type MethodName = keyof typeof methodTable

export type MethodArgs<Name extends MethodName> = {
  readonly [Arg in keyof (typeof methodTable)[Name]['args']]: (typeof methodTable)[Name]['args'][Arg] extends WireType
    ? WireTypes[(typeof methodTable)[Name]['args'][Arg]]
    : never
}

/** A decoded method; switching on `name` tells the arguments' types. */
export type Method = { [Name in MethodName]: { readonly name: Name; readonly args: MethodArgs<Name> } }[MethodName]

/** The ids of the method an error answers, as close methods carry them; zeros when it answers none. */
export function idsOf(name: MethodName | undefined): { classId: number; methodId: number } {
  if (name === undefined) return { classId: 0, methodId: 0 }
  const { classId, methodId } = methodTable[name]
  return { classId, methodId }
}
