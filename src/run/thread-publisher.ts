/**
 * The publisher as the main thread holds it: forwards calls to the publisher's thread, keeps the latest snapshot, and knows what
 * to say when the thread dies. The log is made here, in memory that both threads share.
 */
import { Worker } from 'node:worker_threads'
import { builtModule } from '../clients/threads/built-module.ts'
import type { Plan } from '../config/plan.ts'
import { assert, describeError, FanfareError } from '../errors.ts'
import type { PublisherLog } from '../measure/publisher-log.ts'
import type { CanaryOutcome, NoticeLevel, Publisher, PublisherSnapshot, PublishOutcome } from './publisher.ts'
import {
  type FromPublisher,
  fromWire,
  type PublisherAnswers,
  type PublisherCall,
  type PublisherThreadData,
  type ToPublisher,
} from './publisher-messages.ts'
import { firstSnapshot, settleDeadLog } from './publisher-snapshot.ts'
import { sharedLog } from './shared-log.ts'

/** Ending the connection is bounded on the thread itself; this is for a thread that hangs. */
const CLOSE_TIMEOUT_MS = 5_000

export interface ThreadPublisherOptions {
  /** Sentences for the log: the connection was lost, is back, is blocked. */
  readonly notice?: (text: string, level: NoticeLevel) => void
}

interface Pending {
  readonly call: PublisherCall
  resolve(value: PublisherAnswers[PublisherCall]): void
  reject(error: FanfareError): void
}

export class ThreadPublisher implements Publisher {
  readonly log: PublisherLog
  readonly #worker: Worker
  readonly #notice: (text: string, level: NoticeLevel) => void
  readonly #pending = new Map<number, Pending>()
  readonly #timeline = new Map<number, number>()
  #lastId = 0
  #snapshot: PublisherSnapshot
  #lostBecause: FanfareError | undefined
  #closing: Promise<void> | undefined
  #isDead = false

  constructor(plan: Plan, { notice = () => undefined }: ThreadPublisherOptions = {}) {
    this.#notice = notice
    this.log = sharedLog(plan)
    this.#snapshot = firstSnapshot(plan)
    const data: PublisherThreadData = { plan, log: this.log }
    this.#worker = new Worker(builtModule('run/publisher-thread.js'), { workerData: data, name: 'publisher', execArgv: [] })
    this.#worker.on('message', (message: FromPublisher) => this.#hear(message))
    this.#worker.on('error', (error) => this.#die(describeError(error)))
    this.#worker.on('exit', (code) => this.#die(`it ended with code ${code}`))
  }

  get lostBecause(): FanfareError | undefined {
    return this.#lostBecause
  }

  async open(signal: AbortSignal): Promise<void> {
    await this.#call('open', signal)
  }

  canary(signal: AbortSignal): Promise<CanaryOutcome> {
    return this.#call('canary', signal)
  }

  async warmUp(signal: AbortSignal): Promise<void> {
    await this.#call('warm-up', signal)
  }

  async publish(signal: AbortSignal): Promise<PublishOutcome> {
    return this.#call('publish', signal)
  }

  snapshot(): PublisherSnapshot {
    return this.#snapshot
  }

  /** Asks the thread for a snapshot now instead of within the second; `snapshot` shows it soon after. */
  askForSnapshot(): void {
    this.#tell({ kind: 'snapshot-please' })
  }

  close(): Promise<void> {
    this.#closing ??= this.#close()
    return this.#closing
  }

  async #close(): Promise<void> {
    const timeout = setTimeout(() => void this.#worker.terminate(), CLOSE_TIMEOUT_MS)
    // A thread that died is closed already.
    await this.#call('close', new AbortController().signal).catch(() => undefined)
    clearTimeout(timeout)
    this.#isDead = true
    await this.#worker.terminate()
  }

  #call<C extends PublisherCall>(call: C, signal: AbortSignal): Promise<PublisherAnswers[C]> {
    this.#lastId += 1
    const id = this.#lastId
    const abort = (): void => this.#tell({ kind: 'abort', id })
    const answer = new Promise<PublisherAnswers[C]>((resolve, reject) => {
      // The thread answers a call with what the call answers: see PublisherAnswers.
      this.#pending.set(id, { call, resolve: resolve as Pending['resolve'], reject })
    })
    if (this.#isDead) this.#answerForTheDead(id)
    this.#tell({ kind: 'call', id, call })
    signal.addEventListener('abort', abort, { once: true })
    if (signal.aborted) abort()
    return answer.finally(() => signal.removeEventListener('abort', abort))
  }

  #tell(message: ToPublisher): void {
    this.#worker.postMessage(message)
  }

  #hear(message: FromPublisher): void {
    switch (message.kind) {
      case 'answer':
        this.#take(message.id).resolve(message.value)
        return
      case 'failure':
        this.#take(message.id).reject(fromWire(message.error))
        return
      case 'snapshot':
        for (const [second, count] of message.snapshot.timeline) this.#timeline.set(second, count)
        this.#snapshot = { ...message.snapshot, timeline: [...this.#timeline] }
        return
      case 'notice':
        this.#notice(message.text, message.level)
        return
      case 'lost':
        this.#lostBecause = fromWire(message.error)
        return
    }
  }

  #take(id: number): Pending {
    const pending = this.#pending.get(id)
    assert(pending !== undefined, `the publisher's thread answered call ${id}, which nobody waits for`)
    this.#pending.delete(id)
    return pending
  }

  #die(how: string): void {
    if (this.#isDead) return
    this.#isDead = true
    this.#lostBecause = new FanfareError('fault', `The publisher's thread died: ${how}.`)
    this.#snapshot = settleDeadLog(this.log, this.#snapshot)
    for (const id of [...this.#pending.keys()]) this.#answerForTheDead(id)
  }

  /** What was being published is lost with a report of it; whatever else was asked cannot be had. */
  #answerForTheDead(id: number): void {
    const pending = this.#take(id)
    if (pending.call === 'publish') pending.resolve('lost')
    else pending.reject(this.#lostBecause ?? new FanfareError('fault', "The publisher's thread was ended."))
  }
}
