/**
 * `fanfare broker`: the embedded broker until it is told to stop. When it listens it prints one line of JSON on stdout that says
 * where it is.
 */
import { startBroker } from './broker.ts'

export interface BrokerCommand {
  readonly host: string
  /** 0: a free one. */
  readonly port: number
  readonly user?: string | undefined
  readonly password?: string | undefined
}

/** Resolves when the signal aborts and everything has ended; rejects when the address cannot be listened on. */
export async function runBrokerCommand(command: BrokerCommand, signal: AbortSignal): Promise<void> {
  const { host, port, user, password } = command
  const broker = await startBroker({ host, port, ...(user !== undefined && { user }), ...(password !== undefined && { password }) })
  process.stdout.write(`${JSON.stringify({ amqp: broker.url })}\n`)
  await aborted(signal)
  await broker.close()
}

const aborted = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    if (signal.aborted) resolve()
    else signal.addEventListener('abort', () => resolve(), { once: true })
  })
