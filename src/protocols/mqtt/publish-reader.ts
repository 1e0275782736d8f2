/**
 * Reads the body of a PUBLISH in place, for 3.1.1 and 5. One reader serves all clients of a thread: its fields speak of the
 * packet read last, so a delivery costs no allocation. Properties are stepped over, not read: none changes the payload.
 */
import { readVariableInt, variableIntBytes } from './variable-int.ts'

const DUP = 0b1000
const RETAIN = 0b0001

export class PublishReader {
  qos = 0
  /** DUP: the server may have sent this packet before. */
  isRedelivery = false
  /** RETAIN: stored by the server, not published just now. */
  isRetained = false
  topicStart = 0
  topicEnd = 0
  /** 1 to 65 535; 0 with QoS 0. */
  packetId = 0
  /** The payload ends where the packet does. */
  payloadStart = 0
  readonly #hasProperties: boolean

  constructor(version: '3.1.1' | '5') {
    this.#hasProperties = version === '5'
  }

  /** Reads the packet `head`, `data[start, end)`. Answers what is wrong with it, going on from "sent a PUBLISH". */
  read(head: number, data: Uint8Array, start: number, end: number): string | undefined {
    this.qos = (head >> 1) & 0b11
    this.isRedelivery = (head & DUP) !== 0
    this.isRetained = (head & RETAIN) !== 0
    // Subscriptions ask for QoS 0 or 1, and a server never sends more than was granted.
    if (this.qos > 1) return `with QoS ${this.qos}, which nobody asked for`
    if (this.qos === 0 && this.isRedelivery) return 'with QoS 0 and the DUP flag'

    this.topicStart = start + 2
    if (this.topicStart > end) return 'that ends in its topic'
    this.topicEnd = this.topicStart + uint16(data, start)
    if (this.topicEnd > end) return 'that ends in its topic'
    // An empty topic would be a topic alias; CONNECT allows none.
    if (this.topicEnd === this.topicStart) return 'without a topic'

    let at = this.topicEnd
    this.packetId = 0
    if (this.qos > 0) {
      if (at + 2 > end) return 'that ends in its packet id'
      this.packetId = uint16(data, at)
      if (this.packetId === 0) return 'with packet id 0'
      at += 2
    }
    if (this.#hasProperties) {
      const propertyBytes = readVariableInt(data, at, end)
      if (propertyBytes < 0) return 'with malformed properties'
      at += variableIntBytes(propertyBytes) + propertyBytes
      if (at > end) return 'that ends in its properties'
    }
    this.payloadStart = at
    return undefined
  }
}

const uint16 = (data: Uint8Array, at: number): number => (data[at]! << 8) | data[at + 1]!
