/**
 * The publishing side of a channel: puts method, header and body frames together to a message, routes it, returns what has no
 * queue, and settles its confirm.
 *
 *   state  | frame                         | next
 *   -------|-------------------------------|------------------------------------
 *   idle   | basic.publish                 | header
 *   header | content header, body size > 0 | body
 *          | content header, body size 0   | idle (published)
 *   body   | content body, more missing    | body
 *          | content body, complete        | idle (published)
 *   any    | another                       | 505, the connection ends
 */
import { AmqpError } from '../amqp-error.ts'
import type { Frame } from '../codec/frame-reader.ts'
import type { MethodArgs } from '../codec/methods.ts'
import { type BasicProperties, readProperties } from '../codec/properties.ts'
import { WireError, WireReader } from '../codec/wire-reader.ts'
import type { ConfirmFate } from '../faults/standing-faults.ts'
import type { Message } from '../routing/message.ts'
import type { Confirms } from './confirms.ts'
import type { ChannelLink } from './link.ts'

const BASIC_CLASS = 60
/** Class, weight and body size in front of the properties. */
const HEADER_PREFIX_BYTES = 12
/** RabbitMQ's default; larger ones are refused before their body is read. */
const MAX_BODY_BYTES = 134_217_728

interface Assembly {
  readonly args: MethodArgs<'basic.publish'>
  /** Undefined until the content header has come. */
  content: { readonly header: Buffer; readonly properties: BasicProperties; readonly bodyBytes: number } | undefined
  readonly parts: Buffer[]
  receivedBytes: number
}

export class Publisher {
  readonly #link: ChannelLink
  readonly #confirms: Confirms
  readonly #reader = new WireReader(Buffer.alloc(0))
  #assembly: Assembly | undefined

  constructor(link: ChannelLink, confirms: Confirms) {
    this.#link = link
    this.#confirms = confirms
  }

  /** To be called before any other method of the channel is carried out: content must be complete first. */
  expectNoContent(): void {
    if (this.#assembly === undefined) return
    if (this.#assembly.content === undefined) throw new AmqpError(505, headerExpected('non content header frame'))
    throw new AmqpError(505, 'expected content body, got non content body frame instead')
  }

  begin(args: MethodArgs<'basic.publish'>): void {
    if (args.immediate) throw new AmqpError(540, 'immediate=true')
    this.#assembly = { args, content: undefined, parts: [], receivedBytes: 0 }
  }

  header(frame: Frame): void {
    const assembly = this.#expectAssembly()
    if (assembly.content !== undefined) throw new AmqpError(505, 'expected content body, got non content body frame instead')
    assembly.content = this.#readHeader(frame)
    if (assembly.content.bodyBytes === 0) this.#complete(assembly)
  }

  body(frame: Frame): void {
    const assembly = this.#expectAssembly()
    if (assembly.content === undefined) throw new AmqpError(505, headerExpected('non content header frame'))
    // A copy, because the frame lies in a read buffer that holds much besides.
    const part = Buffer.from(frame.buffer.subarray(frame.start, frame.end))
    assembly.parts.push(part)
    assembly.receivedBytes += part.length
    const { bodyBytes } = assembly.content
    if (assembly.receivedBytes > bodyBytes) {
      throw new AmqpError(505, `expected content body of ${bodyBytes} bytes, got ${assembly.receivedBytes} bytes`)
    }
    if (assembly.receivedBytes === bodyBytes) this.#complete(assembly)
  }

  #expectAssembly(): Assembly {
    if (this.#assembly === undefined) throw new AmqpError(505, 'expected method frame, got non method frame instead')
    return this.#assembly
  }

  #readHeader(frame: Frame): NonNullable<Assembly['content']> {
    const reader = this.#reader
    reader.reset(frame.buffer, frame.start, frame.end)
    if (reader.remaining < HEADER_PREFIX_BYTES) throw new AmqpError(501, 'content header is cut short')
    const classId = reader.short()
    if (classId !== BASIC_CLASS) throw new AmqpError(505, headerExpected(`one for class ${classId}`))
    const weight = reader.short()
    if (weight !== 0) throw new AmqpError(501, `expected content weight 0, got ${weight}`)
    const bodyBytes = reader.longlong()
    const properties = decodeProperties(reader)
    if (bodyBytes > MAX_BODY_BYTES) {
      throw new AmqpError(406, `message size ${bodyBytes} is larger than configured max size ${MAX_BODY_BYTES}`)
    }
    return { header: Buffer.from(frame.buffer.subarray(frame.start, frame.end)), properties, bodyBytes }
  }

  #complete({ args, content, parts }: Assembly): void {
    this.#assembly = undefined
    const { header, properties } = content!
    this.#checkProperties(properties)
    const { exchange, routingKey } = args
    const message: Message = { exchange, routingKey, header, body: parts.length === 1 ? parts[0]! : Buffer.concat(parts) }
    const queues = this.#link.virtualHost.route(exchange, routingKey)
    this.#link.countPublish()
    if (!this.#confirms.isSelected) {
      if (queues.length === 0 && args.mandatory) this.#return(message)
      for (const queue of queues) queue.enqueue(message)
      return
    }
    const tag = this.#confirms.nextTag()
    const fate = this.#fateOf(tag, message, properties)
    if (queues.length === 0 && args.mandatory) this.#return(message)
    if (fate?.isRouted !== false) for (const queue of queues) queue.enqueue(message)
    if (fate === undefined) this.#confirms.acknowledge(tag)
    else this.#confirms.settle(tag, fate)
  }

  /** Undefined for the ordinary case: an ack as soon as may be. */
  #fateOf(deliveryTag: number, { exchange, routingKey }: Message, { messageId }: BasicProperties): ConfirmFate | undefined {
    const { faults, connection, channel } = this.#link
    if (!faults.touchesConfirms) return undefined
    return faults.confirmFate({ connection, channel, deliveryTag, exchange, routingKey, ...(messageId !== undefined && { messageId }) })
  }

  #return(message: Message): void {
    const { exchange, routingKey } = message
    this.#link.sendContent('basic.return', { replyCode: 312, replyText: 'NO_ROUTE', exchange, routingKey }, message)
  }

  #checkProperties({ userId, expiration }: BasicProperties): void {
    if (userId !== undefined && userId !== this.#link.user) {
      throw new AmqpError(406, `user_id property set to '${userId}' but authenticated user was '${this.#link.user}'`)
    }
    if (expiration !== undefined) throw new AmqpError(540, 'message expiration is not offered by this broker')
  }
}

const headerExpected = (got: string): string => `expected content header for class ${BASIC_CLASS}, got ${got} instead`

function decodeProperties(reader: WireReader): BasicProperties {
  try {
    return readProperties(reader)
  } catch (error) {
    if (error instanceof WireError) throw new AmqpError(502, `cannot decode basic properties: ${error.message}`)
    throw error
  }
}
