/** The tester's process as the scenarios hold it: one run at a time, every wait with a deadline. */
import { type ChildProcess, fork } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import type { FromTester, RunFacts, ToTester } from './run-facts.ts'

const ENTRY = fileURLToPath(new URL('./tester-process.ts', import.meta.url))
/** Far beyond what any scenario may take by its own settings. */
const RUN_DEADLINE_MS = 60_000
const START_DEADLINE_MS = 60_000

export class Tester {
  readonly #child: ChildProcess
  #hear: (message: FromTester) => void = () => undefined
  #die: (why: string) => void = () => undefined

  private constructor(child: ChildProcess) {
    this.#child = child
    child.on('message', (message: FromTester) => this.#hear(message))
    child.on('exit', (code, signal) => this.#die(`the tester's process ended with ${signal ?? `code ${code}`}`))
  }

  static async start(): Promise<Tester> {
    const tester = new Tester(fork(ENTRY, { serialization: 'advanced', execArgv: process.execArgv }))
    await tester.#answer((message) => (message.kind === 'listening' ? true : undefined), START_DEADLINE_MS)
    return tester
  }

  /** Plays one run. `onPhase` hears where it is. */
  async run(settings: Readonly<Record<string, string>>, onPhase: (phase: string) => void): Promise<RunFacts> {
    this.#tell({ kind: 'run', settings })
    return await this.#answer((message) => {
      if (message.kind === 'failed') throw new Error(message.why)
      if (message.kind === 'phase') onPhase(message.phase)
      return message.kind === 'ended' ? message.facts : undefined
    }, RUN_DEADLINE_MS)
  }

  /** As a first SIGINT does. */
  interrupt(): void {
    this.#tell({ kind: 'interrupt' })
  }

  /** Stops the whole process, threads and all, for a time. */
  async pause(ms: number): Promise<void> {
    this.#child.kill('SIGSTOP')
    await new Promise((resolve) => setTimeout(resolve, ms))
    this.#child.kill('SIGCONT')
  }

  end(): void {
    this.#die = () => undefined
    this.#child.kill('SIGKILL')
  }

  #tell(message: ToTester): void {
    this.#child.send(message)
  }

  /** The first message of which `read` makes something. */
  #answer<T>(read: (message: FromTester) => T | undefined, deadlineMs: number): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      const timer = setTimeout(() => reject(new Error(`the tester said nothing for ${deadlineMs} ms`)), deadlineMs)
      this.#die = (why) => {
        clearTimeout(timer)
        reject(new Error(why))
      }
      this.#hear = (message) => {
        try {
          const answer = read(message)
          if (answer === undefined) return
          clearTimeout(timer)
          resolve(answer)
        } catch (error) {
          clearTimeout(timer)
          reject(error)
        }
      }
    })
  }
}
