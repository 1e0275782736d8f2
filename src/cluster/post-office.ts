/**
 * Where a process of the group gets its post: sorts what the line brings by sender, looks after every peer, and stops all clocks of death
 * while the broker is in trouble. It reads no message.
 */
import type { FanfareError } from '../errors.ts'
import type { Arrival } from './control-connections.ts'
import { ControlLine, type LineListener, type LineOptions } from './control-line.ts'
import { PausableTime } from './liveness.ts'
import { Peer, type PeerOptions } from './peer.ts'
import { type Header, readHeader } from './wire/header.ts'
import type { Parcel } from './wire/parcel.ts'

const LOOK_EVERY_MS = 250
/** After the own line is back others may still be on their way. */
const RETURN_GRACE_MS = 10_000

export interface PostOfficeListener {
  /** Something to be handled, in order and once. */
  onMessage(peer: Peer, arrival: Arrival, header: Header): void
  /** From nobody that is known. */
  onStranger(arrival: Arrival, header: Header): void
  /** It is gone, or hangs; nothing is heard from it after this. */
  onDeath(peer: Peer, why: string): void
  /** Worth a line in the log. */
  onNotice(text: string): void
  /** The broker is gone for good. */
  onLost(failure: FanfareError): void
}

export class PostOffice implements LineListener {
  readonly #listener: PostOfficeListener
  readonly #ownId: string
  readonly #time = new PausableTime(() => performance.now())
  readonly #peers = new Set<Peer>()
  readonly #line: ControlLine
  #looking: NodeJS.Timeout | undefined
  #returning: NodeJS.Timeout | undefined

  constructor(ownId: string, options: LineOptions, listener: PostOfficeListener) {
    this.#ownId = ownId
    this.#listener = listener
    this.#line = new ControlLine(options, this)
  }

  /** Post may come before it resolves. Throws as `ControlLine.open`. */
  async open(signal: AbortSignal): Promise<void> {
    await this.#line.open(signal)
    this.#looking = setInterval(() => this.#look(), LOOK_EVERY_MS)
  }

  /** From now on it is known, watched, and heard. */
  admit(options: Omit<PeerOptions, 'ownId'>): Peer {
    const peer = new Peer({ ...options, ownId: this.#ownId }, this.#line, this.#time)
    this.#peers.add(peer)
    return peer
  }

  /** It is not looked after any more, and not heard. */
  forget(peer: Peer): void {
    this.#peers.delete(peer)
  }

  /** One word to somebody who is not known; it may be lost. */
  mentionTo(key: string, header: Header, parcel: Parcel): void {
    this.#line.speak(key, { ...header, from: this.#ownId }, parcel)
  }

  /** Whether the exclusive queue of somebody who need not be known is there; undefined when the broker could not be asked. */
  async isThere(queue: string): Promise<boolean | undefined> {
    return this.#line.isThere(queue)
  }

  /** Waits until everybody has heard what was said, at most `timeoutMs`, then ends the connections. Idempotent. */
  async close(timeoutMs = 0): Promise<void> {
    const deadlineMs = performance.now() + timeoutMs
    while (performance.now() < deadlineMs && [...this.#peers].some(({ unheard }) => unheard > 0)) {
      await new Promise((resolve) => setTimeout(resolve, 20))
    }
    clearInterval(this.#looking)
    clearTimeout(this.#returning)
    await this.#line.close()
  }

  onArrival(arrival: Arrival): void {
    const header = readHeader(arrival.headers)
    if (header === undefined) {
      this.#listener.onNotice('A message without our headers reached the control queue; it is ignored.')
      return
    }
    const peer = [...this.#peers].find(({ id }) => id === header.from || id === '')
    if (peer === undefined) {
      this.#listener.onStranger(arrival, header)
      return
    }
    const isNews = peer.hear(header)
    if (isNews && arrival.body.length > 0) this.#listener.onMessage(peer, arrival, header)
  }

  onUp(): void {
    this.#listener.onNotice('The control connection is back.')
    this.#time.pause('others return')
    this.#time.resume('line down')
    this.#returning = setTimeout(() => this.#time.resume('others return'), RETURN_GRACE_MS)
    for (const peer of this.#peers) peer.sayAgain()
  }

  onDown(why: FanfareError): void {
    this.#listener.onNotice(why.message)
    clearTimeout(this.#returning)
    this.#time.pause('line down')
    this.#time.resume('broker blocks')
  }

  onBlocked(isBlocked: boolean, reason: string): void {
    this.#listener.onNotice(isBlocked ? `The broker blocks control messages: ${reason}.` : 'The broker takes control messages again.')
    if (isBlocked) this.#time.pause('broker blocks')
    else this.#time.resume('broker blocks')
  }

  onLost(failure: FanfareError): void {
    this.#listener.onLost(failure)
  }

  #look(): void {
    for (const peer of this.#peers) {
      const liveness = peer.look()
      if (liveness === 'alive' || liveness === 'ask') continue
      this.#peers.delete(peer)
      this.#listener.onDeath(peer, liveness === 'gone' ? 'its connection to the broker is gone' : 'it is there but says nothing')
    }
  }
}
