/**
 * One receiver thread as the main thread sees it: commands go in, snapshots come out, and its death is noticed. What a death
 * means for the books is decided by `thread-crowd.ts`.
 */
import { once } from 'node:events'
import { Worker } from 'node:worker_threads'
import { describeError, FanfareError } from '../../errors.ts'
import type { Snapshot } from '../../measure/snapshot.ts'
import { builtModule } from './built-module.ts'
import type { ThreadBirth, ThreadCommand, ThreadQuestion, ThreadReport } from './thread-messages.ts'

const ENTRY = builtModule('clients/threads/receiver-thread.js')
/** Loading the code takes a quarter of a second; a machine that is very busy gets its time. */
const START_DEADLINE_MS = 30_000
/** A busy thread answers between two passes of its loop. Settling looks at every row. */
const ANSWER_DEADLINE_MS = 60_000
/** Ending itself, once the thread has said its last word. */
const EXIT_DEADLINE_MS = 2_000

export type ThreadAnswer = Extract<ThreadReport, { kind: 'answer' }>
/** A question without its number. */
export type Ask = ThreadQuestion extends infer Q ? (Q extends { request: number } ? Omit<Q, 'request'> : never) : never

export interface ThreadListener {
  /** What happened on the thread since the last call. */
  onSnapshot(thread: ThreadHandle, snapshot: Snapshot): void
  /** The thread ended without being asked to. Told once; later questions are answered with undefined. */
  onDeath(thread: ThreadHandle, why: string): void
}

export class ThreadHandle {
  readonly birth: ThreadBirth
  readonly #worker: Worker
  readonly #listener: ThreadListener
  readonly #pending = new Map<number, (answer: ThreadAnswer | undefined) => void>()
  readonly #started: Promise<unknown>
  readonly #exited: Promise<void>
  #requests = 0
  #isLeaving = false
  #isDead = false

  constructor(birth: ThreadBirth, listener: ThreadListener) {
    this.birth = birth
    this.#listener = listener
    this.#worker = new Worker(ENTRY, { workerData: birth, name: `receiver-${birth.share.thread}`, execArgv: [] })
    this.#started = once(this.#worker, 'message')
    // Whoever waits for the start gets this error; nobody does any more when a thread dies later.
    this.#started.catch(() => undefined)
    this.#worker.on('message', (report: ThreadReport) => this.#hear(report))
    this.#worker.on('error', (error) => this.#die(describeError(error)))
    this.#exited = new Promise((resolve) => {
      this.#worker.on('exit', (code) => {
        if (!this.#isLeaving || code !== 0) this.#die(`it ended with code ${code}`)
        resolve()
      })
    })
  }

  get isDead(): boolean {
    return this.#isDead
  }

  /** Resolves when the thread obeys commands; rejects with a fault when it cannot. */
  async started(): Promise<void> {
    await withDeadline(this.#started, START_DEADLINE_MS, () => {
      throw new FanfareError('fault', `Receiver thread ${this.birth.share.thread} did not start within ${START_DEADLINE_MS} ms`)
    })
  }

  tell(command: Exclude<ThreadCommand, ThreadQuestion>): void {
    if (!this.#isDead) this.#worker.postMessage(command)
  }

  /** Resolves with the answer, or with undefined when the thread dies first. A thread that does not answer in time is ended. */
  async ask(question: Ask): Promise<ThreadAnswer | undefined> {
    if (this.#isDead) return undefined
    const request = this.#requests++
    const answer = new Promise<ThreadAnswer | undefined>((resolve) => this.#pending.set(request, resolve))
    this.#worker.postMessage({ ...question, request } satisfies ThreadCommand)
    return withDeadline(answer, ANSWER_DEADLINE_MS, async () => {
      this.#die(`it did not answer \`${question.kind}\` within ${ANSWER_DEADLINE_MS} ms`)
      await this.#worker.terminate()
      return undefined
    })
  }

  /** Has the thread say goodbye to its targets and end. */
  async leave(): Promise<void> {
    if (this.#isDead) return
    this.#isLeaving = true
    await this.ask({ kind: 'close' })
    await withDeadline(this.#exited, EXIT_DEADLINE_MS, () => this.terminate())
    this.#isDead = true
  }

  /** Ends the thread at once. */
  async terminate(): Promise<void> {
    this.#isDead = true
    await this.#worker.terminate()
  }

  #hear(report: ThreadReport): void {
    // What a thread says after it was given up is booked as unaccounted already.
    if (this.#isDead) return
    this.#listener.onSnapshot(this, report.snapshot)
    if (report.kind !== 'answer') return
    this.#pending.get(report.request)?.(report)
    this.#pending.delete(report.request)
  }

  #die(why: string): void {
    if (this.#isDead) return
    this.#isDead = true
    this.#listener.onDeath(this, why)
    for (const resolve of this.#pending.values()) resolve(undefined)
    this.#pending.clear()
  }
}

/** The promise's own outcome, or what `onDeadline` makes of it when that takes longer. */
async function withDeadline<T, D>(promise: Promise<T>, deadlineMs: number, onDeadline: () => D | Promise<D>): Promise<T | D> {
  let timer: NodeJS.Timeout | undefined
  const deadline = new Promise<'late'>((resolve) => {
    timer = setTimeout(() => resolve('late'), deadlineMs)
  })
  try {
    const isLate = (await Promise.race([promise, deadline])) === 'late'
    return isLate ? await onDeadline() : await promise
  } finally {
    clearTimeout(timer)
  }
}
