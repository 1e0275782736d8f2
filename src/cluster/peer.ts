/**
 * One process of the group as another one deals with it: says things to it so that they arrive, takes what it says once and in order, and
 * watches whether it lives. What is said means nothing here.
 */
import type { ControlLine } from './control-line.ts'
import { Conversation } from './conversation.ts'
import { type Liveness, LivenessWatch, type PausableTime } from './liveness.ts'
import type { Header } from './wire/header.ts'
import { CONTROL_VERSION } from './wire/messages.ts'
import type { Parcel } from './wire/parcel.ts'

/** Carries nothing but the header. */
const NOTHING: Parcel = { body: Buffer.alloc(0), encoding: 'identity' }

export interface PeerOptions {
  readonly ownId: string
  /** Its id; empty until it has told. */
  readonly id: string
  /** How it is reached. */
  readonly key: string
  /** What is there as long as it lives. */
  readonly queue: string
}

export class Peer {
  #id: string
  readonly #options: PeerOptions
  readonly #line: ControlLine
  readonly #time: PausableTime
  readonly #conversation = new Conversation<Parcel>()
  readonly #watch: LivenessWatch
  #isAnswerOwed = false
  #isAsking = false

  constructor(options: PeerOptions, line: ControlLine, time: PausableTime) {
    this.#id = options.id
    this.#options = options
    this.#line = line
    this.#time = time
    this.#watch = new LivenessWatch(time.nowMs())
  }

  get id(): string {
    return this.#id
  }

  /** How much of what was said it has not heard yet. */
  get unheard(): number {
    return this.#conversation.unheard
  }

  /** Says something that must arrive. */
  say(parcel: Parcel): void {
    const { number } = this.#conversation.say(parcel, this.#time.nowMs())
    this.#send(number, parcel)
  }

  /** Says something that may be lost. */
  mention(parcel: Parcel): void {
    this.#send(0, parcel)
  }

  /** Whether what came with this header is to be handled now. */
  hear({ from, number, heard }: Header): boolean {
    if (this.#id === '') this.#id = from
    this.#watch.heard(this.#time.nowMs())
    this.#conversation.heardBy(heard, this.#time.nowMs())
    if (number === 0) return true
    this.#oweAnswer()
    return this.#conversation.take(number)
  }

  /** Called now and then: says again what got no answer, and looks after the peer. */
  look(): Liveness {
    const nowMs = this.#time.nowMs()
    for (const { number, message } of this.#conversation.due(nowMs)) this.#send(number, message)
    const liveness = this.#watch.look(nowMs)
    if (liveness === 'ask') void this.#askForQueue()
    return liveness
  }

  /** The line was down; what was on its way may be lost. */
  sayAgain(): void {
    for (const { number, message } of this.#conversation.sayAgain(this.#time.nowMs())) this.#send(number, message)
  }

  async #askForQueue(): Promise<void> {
    if (this.#isAsking || this.#time.isPaused) return
    this.#isAsking = true
    const isThere = await this.#line.isThere(this.#options.queue)
    this.#isAsking = false
    if (isThere !== undefined && !this.#time.isPaused) this.#watch.answered(isThere, this.#time.nowMs())
  }

  /** Soon, unless something is said before. */
  #oweAnswer(): void {
    if (this.#isAnswerOwed) return
    this.#isAnswerOwed = true
    setImmediate(() => {
      if (this.#isAnswerOwed) this.mention(NOTHING)
    })
  }

  #send(number: number, parcel: Parcel): void {
    this.#isAnswerOwed = false
    const header: Header = { v: CONTROL_VERSION, from: this.#options.ownId, to: this.#id, number, heard: this.#conversation.heardUpTo }
    this.#line.speak(this.#options.key, header, parcel)
  }
}
