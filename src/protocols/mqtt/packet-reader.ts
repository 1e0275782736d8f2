/**
 * Cuts a client's byte stream into MQTT packets: several in one WebSocket message, or one over several. Versions 3.1.1 and 5
 * frame alike. It checks the fixed header only and knows nothing of what packets mean.
 *
 *   reader.push(data, start, end)
 *   while (reader.next()) …reader.head, reader.data[reader.start, reader.end)…
 *   if (reader.fault !== undefined) …
 */
import { ByteWindow } from '../byte-window.ts'
import { fixedFlags, PacketType, packetName } from './packet-type.ts'
import { INCOMPLETE, MALFORMED, readVariableInt, variableIntBytes } from './variable-int.ts'

export class PacketReader {
  /** First byte of the current packet: type and flags. */
  head = 0
  /** Variable header and payload of the current packet: `data[start, end)`, valid until `next` is called again. */
  data: Uint8Array
  start = 0
  end = 0
  /** Why nothing more will be read; goes on from "the target". */
  fault: string | undefined
  readonly #window = new ByteWindow()
  readonly #limitBytes: number
  #isClosed = false

  /** `limitBytes`: a longer packet is a fault. */
  constructor(limitBytes: number) {
    this.#limitBytes = limitBytes
    this.data = this.#window.data
  }

  push(data: Uint8Array, start: number, end: number): void {
    if (!this.#isClosed) this.#window.push(data, start, end)
  }

  /** Moves to the next whole packet; false when there is none yet, or a fault. */
  next(): boolean {
    const window = this.#window
    const { data, at, end } = window
    if (at >= end) return this.#stop()

    const head = data[at]!
    const type = head >> 4
    if (type !== PacketType.publish && (head & 0x0f) !== fixedFlags(type)) return this.#fail(`sent a ${packetName(head)} with wrong flags`)
    const remaining = readVariableInt(data, at + 1, end)
    if (remaining === INCOMPLETE) return this.#stop()
    if (remaining === MALFORMED) return this.#fail(`sent a ${packetName(head)} whose length is malformed`)
    if (remaining > this.#limitBytes) {
      return this.#fail(`sent a ${packetName(head)} of ${remaining} bytes, more than MAX_FRAME_BYTES (${this.#limitBytes})`)
    }
    const start = at + 1 + variableIntBytes(remaining)
    if (end - start < remaining) return this.#stop()

    this.head = head
    this.data = data
    this.start = start
    this.end = start + remaining
    window.at = this.end
    return true
  }

  /** Nothing more is read, and nothing kept. */
  close() {
    this.#isClosed = true
    this.#window.at = this.#window.end
    this.#stop()
  }

  /** What is unread waits for the next message. */
  #stop(): false {
    this.#window.keep()
    this.data = this.#window.data
    return false
  }

  #fail(fault: string): false {
    this.fault = fault
    this.close()
    return false
  }
}
