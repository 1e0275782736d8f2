/**
 * The MQTT dialect over WebSocket, 3.1.1 and 5: CONNECT, one SUBSCRIBE for all streams, ready when the SUBACK grants them.
 * Packets need not keep to WebSocket messages. It subscribes and listens; it never publishes.
 *
 *   state         packet                      then
 *   connecting    CONNACK accepted            subscribing (says SUBSCRIBE)
 *   subscribing   SUBACK granting all         ready
 *   any but over  refusal, DISCONNECT, fault  over
 *   ready         PUBLISH                     ready (also in subscribing: brokers may be early)
 */
import { FanfareError } from '../../errors.ts'
import { secondsToMs } from '../../units.ts'
import { clientName } from '../client-name.ts'
import type { ClientIdentity, Protocol, Session, SessionPort } from '../protocol.ts'
import { offeredSubprotocols, type RequestSettings, requestHeaders } from '../request-headers.ts'
import { parseTarget } from '../target-request.ts'
import { readConnack, readDisconnect, readSuback } from './answers.ts'
import { PacketReader } from './packet-reader.ts'
import { PacketType, packetName } from './packet-type.ts'
import { connectPacket, disconnectPacket, type MqttVersion, pingreqPacket, pubackPacket, subscribePacket } from './packet-writer.ts'
import { PublishReader } from './publish-reader.ts'

export interface MqttSettings extends RequestSettings {
  readonly mqttVersion: MqttVersion
  /** Template: `{{index}}`, `{{replica}}`, `{{run}}`. */
  readonly mqttClientId: string
  /** Asked for: 0 or 1. */
  readonly mqttQos: number
  /** Template, as the client id. */
  readonly protocolUser: string | undefined
  readonly protocolPassword: string | undefined
  /** 0: no heartbeats. */
  readonly protocolKeepAliveS: number
  readonly maxFrameBytes: number
}

const SUBSCRIBE_ID = 1
/** A beat every half keep-alive leaves room for one that is late; the broker waits one and a half of it. */
const BEATS_PER_KEEP_ALIVE = 2
const BROKER_PATIENCE = 1.5

/** Throws `settings-invalid` for a login that MQTT cannot carry. */
export function createMqtt(settings: MqttSettings): Protocol {
  checkLogin(settings)
  const subprotocols = offeredSubprotocols(settings, ['mqtt'])
  const shared = { settings, publish: new PublishReader(settings.mqttVersion), pingreq: pingreqPacket() }
  return {
    name: 'mqtt',
    decodes: true,
    isReadyOnOpen: false,
    heartbeatMs: settings.protocolKeepAliveS === 0 ? undefined : beatMs(settings.protocolKeepAliveS),
    handshake(target) {
      const { url, requestTarget, authorization } = parseTarget(target)
      return { url, requestTarget, headers: requestHeaders(settings, authorization), subprotocols }
    },
    session: (identity) => new MqttSession(shared, identity),
  }
}

function checkLogin({ mqttVersion, mqttClientId, protocolUser, protocolPassword, protocolKeepAliveS }: MqttSettings): void {
  if (mqttVersion === '3.1.1' && protocolPassword !== undefined && protocolUser === undefined) {
    throw new FanfareError(
      'settings-invalid',
      'Expected `PROTOCOL_USER` with `PROTOCOL_PASSWORD`: MQTT 3.1.1 has no password without a user',
    )
  }
  connectPacket(mqttVersion, { clientId: mqttClientId, user: protocolUser, password: protocolPassword, keepAliveS: protocolKeepAliveS })
}

const beatMs = (keepAliveS: number): number => secondsToMs(keepAliveS) / BEATS_PER_KEEP_ALIVE

/** What all sessions of a thread have in common. */
interface Shared {
  readonly settings: MqttSettings
  readonly publish: PublishReader
  readonly pingreq: Uint8Array
}

class MqttSession implements Session {
  readonly #shared: Shared
  readonly #identity: ClientIdentity
  readonly #reader: PacketReader
  #state: 'connecting' | 'subscribing' | 'ready' | 'over' = 'connecting'

  constructor(shared: Shared, identity: ClientIdentity) {
    this.#shared = shared
    this.#identity = identity
    this.#reader = new PacketReader(shared.settings.maxFrameBytes)
  }

  opened(port: SessionPort): void {
    const { mqttVersion, mqttClientId, protocolUser, protocolPassword, protocolKeepAliveS } = this.#shared.settings
    const clientId = clientName(mqttClientId, this.#identity)
    const user = protocolUser === undefined ? undefined : clientName(protocolUser, this.#identity)
    port.send(connectPacket(mqttVersion, { clientId, user, password: protocolPassword, keepAliveS: protocolKeepAliveS }))
  }

  frame(data: Uint8Array, start: number, end: number, isBinary: boolean, port: SessionPort) {
    if (this.#state === 'over') return
    if (!isBinary) return this.#fail('sent a text frame; MQTT is binary', port)
    const reader = this.#reader
    reader.push(data, start, end)
    while (reader.next()) this.#packet(reader.head, reader.data, reader.start, reader.end, port)
    if (reader.fault !== undefined) this.#fail(reader.fault, port)
  }

  heartbeat(port: SessionPort): void {
    if (this.#state === 'subscribing' || this.#state === 'ready') port.send(this.#shared.pingreq)
  }

  closing(port: SessionPort): void {
    if (this.#state === 'subscribing' || this.#state === 'ready') port.send(disconnectPacket())
  }

  /** RabbitMQ 3.10 answers a wrong login, and a topic without permission, with a close frame and nothing else. */
  refusal(close: string): string {
    return `${this.#state === 'connecting' ? 'CONNECT' : 'SUBSCRIBE'} was answered with ${close}`
  }

  #packet(head: number, data: Uint8Array, start: number, end: number, port: SessionPort) {
    const type = head >> 4
    if (type === PacketType.publish && this.#state !== 'connecting') return this.#publish(head, data, start, end, port)
    if (type === PacketType.connack && this.#state === 'connecting') return this.#connack(data, start, end, port)
    if (type === PacketType.suback && this.#state === 'subscribing') return this.#suback(data, start, end, port)
    if (type === PacketType.pingresp && this.#state !== 'connecting' && start === end) return port.count('pong')
    if (type === PacketType.disconnect && this.#shared.settings.mqttVersion === '5') return this.#disconnect(data, start, end, port)
    this.#fail(`sent a ${packetName(head)} that was not due (${this.#state})`, port)
  }

  /** The hot path: nothing is allocated for QoS 0. */
  #publish(head: number, data: Uint8Array, start: number, end: number, port: SessionPort) {
    const publish = this.#shared.publish
    const fault = publish.read(head, data, start, end)
    if (fault !== undefined) return this.#fail(`sent a PUBLISH ${fault}`, port)
    const { packetId } = publish
    port.payload(data, publish.payloadStart, end, publish.isRedelivery, publish.isRetained)
    if (packetId !== 0) port.send(pubackPacket(packetId))
  }

  #connack(data: Uint8Array, start: number, end: number, port: SessionPort) {
    const { mqttVersion, mqttQos, protocolKeepAliveS } = this.#shared.settings
    const connack = readConnack(mqttVersion, data, start, end)
    if (connack === undefined) return this.#fail('sent a malformed CONNACK', port)
    port.count('login')
    if (connack.refusal !== undefined) return this.#refused(`CONNECT was refused: ${connack.refusal}`, port)

    const keepAliveS = connack.serverKeepAliveS
    if (keepAliveS !== undefined && keepAliveS > 0 && isTooSlow(protocolKeepAliveS, keepAliveS)) {
      return this.#refused(
        `the target closes clients that are silent for long: set PROTOCOL_KEEPALIVE_S to ${keepAliveS} (it is ${protocolKeepAliveS})`,
        port,
      )
    }
    this.#state = 'subscribing'
    port.send(subscribePacket(mqttVersion, SUBSCRIBE_ID, this.#identity.streams, mqttQos))
  }

  #suback(data: Uint8Array, start: number, end: number, port: SessionPort) {
    const { streams } = this.#identity
    const suback = readSuback(this.#shared.settings.mqttVersion, data, start, end)
    if (suback === undefined || suback.packetId !== SUBSCRIBE_ID || suback.refusals.length !== streams.length) {
      return this.#fail('sent a malformed SUBACK', port)
    }
    port.count('ack')
    const refused = suback.refusals.findIndex((refusal) => refusal !== undefined)
    if (refused >= 0) return this.#refused(`SUBSCRIBE to ${streams[refused]} was refused: ${suback.refusals[refused]}`, port)
    this.#state = 'ready'
    port.ready()
  }

  #disconnect(data: Uint8Array, start: number, end: number, port: SessionPort) {
    const reason = readDisconnect(data, start, end)
    if (reason === undefined) return this.#fail('sent a malformed DISCONNECT', port)
    const text = `the target disconnected: ${reason}`
    if (this.#state !== 'ready') return this.#refused(text, port)
    this.#end()
    port.count('error')
    port.ended(text)
  }

  #refused(text: string, port: SessionPort) {
    this.#end()
    port.count('error')
    port.refused(text)
  }

  #fail(text: string, port: SessionPort) {
    this.#end()
    port.fail(`the target ${text}`)
  }

  /** The client is being closed; bytes that still come mean nothing. */
  #end(): void {
    this.#state = 'over'
    this.#reader.close()
  }
}

/** Whether our beats are too rare for a broker that asks for another keep-alive than was offered (5.0 §3.2.2.3.14). */
const isTooSlow = (oursS: number, theirsS: number): boolean => oursS === 0 || beatMs(oursS) > secondsToMs(theirsS) * BROKER_PATIENCE
