/**
 * `fanfare broker`: the embedded broker until it is told to stop. When it listens it prints one line of JSON on stdout that says
 * where it is.
 */
import { type BrokerOptions, startBroker } from './broker.ts'

export interface BrokerCommand {
  readonly host: string
  /** 0: a free one. */
  readonly port: number
  readonly user?: string | undefined
  readonly password?: string | undefined
  /** 0: a free one; undefined: no control port. */
  readonly controlPort?: number | undefined
  /** Gets the truth log, appended, a line of JSON per entry. */
  readonly truthFile?: string | undefined
}

/** Resolves when the signal aborts and everything has ended; rejects when the address cannot be listened on. */
export async function runBrokerCommand(command: BrokerCommand, signal: AbortSignal): Promise<void> {
  const broker = await startBroker(definedOnly(command))
  process.stdout.write(`${JSON.stringify({ amqp: sayable(broker.url, command), control: broker.controlUrl })}\n`)
  await aborted(signal)
  await broker.close()
}

const aborted = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    if (signal.aborted) resolve()
    else signal.addEventListener('abort', () => resolve(), { once: true })
  })

/** Options that were not given are left out, so that the broker's defaults hold. */
const definedOnly = (command: BrokerCommand): BrokerOptions =>
  Object.fromEntries(Object.entries(command).filter(([, value]) => value !== undefined))

/** The address without a password that somebody chose: they know it, and others may read what is printed. */
function sayable(brokerUrl: string, { password }: BrokerCommand): string {
  if (password === undefined) return brokerUrl
  const url = new URL(brokerUrl)
  url.password = ''
  return url.href
}
