/**
 * What a connection reads: the protocol header first, then frames, one by one. Reading can be held for several reasons at once
 * and goes on, between any two frames, when the last of them is gone; meanwhile the socket is not read either, so that the
 * peer feels it.
 */
import type { Socket } from 'node:net'
import { type Frame, FrameError, FrameReader } from '../codec/frame-reader.ts'

export const PROTOCOL_HEADER = Buffer.from([0x41, 0x4d, 0x51, 0x50, 0, 0, 9, 1])

/** `alarm`: a memory alarm, here on demand. `choked`: the peer does not take what is sent. */
export type HoldReason = 'alarm' | 'choked'

export interface InletListener {
  /** The protocol header has come. */
  greeted(): void
  /** The first bytes are no protocol header; nothing more is read. */
  notAmqp(): void
  frame(frame: Frame): void
  /** The bytes cannot be cut into frames any more; nothing more is read. */
  broken(error: FrameError): void
}

export class Inlet {
  readonly #socket: Socket
  readonly #frames: FrameReader
  readonly #listener: InletListener
  readonly #holds = new Set<HoldReason>()
  #greeting: Buffer | undefined = Buffer.alloc(0)
  #isStopped = false
  #wasHeard = false

  constructor(socket: Socket, maxFrameBytes: number, listener: InletListener) {
    this.#socket = socket
    this.#frames = new FrameReader(maxFrameBytes)
    this.#listener = listener
    socket.on('data', (chunk) => this.#take(chunk))
  }

  set maxFrameBytes(bytes: number) {
    this.#frames.maxFrameBytes = bytes
  }

  /** Whether bytes came since the last call; a peer that is not read cannot be heard and is given the benefit of the doubt. */
  takeWasHeard(): boolean {
    const wasHeard = this.#wasHeard || this.#holds.size > 0
    this.#wasHeard = false
    return wasHeard
  }

  isHeld(reason: HoldReason): boolean {
    return this.#holds.has(reason)
  }

  hold(reason: HoldReason): void {
    if (this.#isStopped) return
    this.#holds.add(reason)
    this.#socket.pause()
  }

  release(reason: HoldReason): void {
    if (!this.#holds.delete(reason) || this.#holds.size > 0) return
    this.#pull()
    if (this.#holds.size === 0) this.#socket.resume()
  }

  /** From now on bytes are read and thrown away, so that the peer's side of the socket can end in order. */
  stop(): void {
    this.#isStopped = true
    this.#holds.clear()
    this.#socket.resume()
  }

  #take(chunk: Buffer): void {
    this.#wasHeard = true
    if (this.#isStopped) return
    const bytes = this.#greeting === undefined ? chunk : this.#takeGreeting(this.#greeting, chunk)
    if (bytes === undefined) return
    this.#frames.push(bytes)
    this.#pull()
  }

  /** The bytes after the protocol header, when it is complete. */
  #takeGreeting(before: Buffer, chunk: Buffer): Buffer | undefined {
    const bytes = Buffer.concat([before, chunk])
    const greeting = bytes.subarray(0, PROTOCOL_HEADER.length)
    if (!greeting.equals(PROTOCOL_HEADER.subarray(0, greeting.length))) {
      this.stop()
      this.#listener.notAmqp()
      return undefined
    }
    if (greeting.length < PROTOCOL_HEADER.length) {
      this.#greeting = bytes
      return undefined
    }
    this.#greeting = undefined
    this.#listener.greeted()
    return bytes.subarray(PROTOCOL_HEADER.length)
  }

  #pull(): void {
    try {
      while (this.#holds.size === 0 && !this.#isStopped) {
        const frame = this.#frames.next()
        if (frame === undefined) return
        this.#listener.frame(frame)
      }
    } catch (error) {
      if (!(error instanceof FrameError)) throw error
      this.stop()
      this.#listener.broken(error)
    }
  }
}
