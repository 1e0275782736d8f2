/** Runs the independent witness (test/fixtures/witness.py) beside a run, and asks what it heard. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'

const PROGRAM = fileURLToPath(new URL('../fixtures/witness.py', import.meta.url))

export interface Testimony {
  /** Tokens of measured streams, copies included. */
  readonly deliveries: number
  /** Different ones. */
  readonly probes: number
  readonly inOrder: boolean
}

export interface Witness {
  /** Ends the witness, who waits for a second of silence first. */
  testify(): Promise<Testimony>
}

/** Resolves when the witness is subscribed. */
export async function startWitness(
  wsAddr: string,
  dialect: 'mqtt' | 'stomp',
  name: string,
  login: { user: string; password: string },
): Promise<Witness> {
  const { hostname, port } = new URL(wsAddr)
  const child = spawn('python3', [PROGRAM, hostname, port, dialect, name, login.user, login.password], {
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
  const next = async (): Promise<string> => {
    const { value, done } = await lines.next()
    if (done) throw new Error('the witness ended without a word')
    return value as string
  }
  await next()
  return {
    async testify() {
      const ended = once(child, 'close')
      child.stdin.end()
      const testimony = JSON.parse(await next()) as Testimony
      await ended
      return testimony
    },
  }
}
