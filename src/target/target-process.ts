/**
 * A process that holds one target: options come as its first message, the addresses go back, and it closes when its parent lets
 * go of it. Signals are the parent's business.
 */
import { describeError } from '../errors.ts'
import { startHere } from './command.ts'
import type { TargetOptions } from './target.ts'

process.on('SIGINT', () => {}) // a terminal signals the whole group; the parent decides
process.on('SIGTERM', () => {})
process.once('message', (options: TargetOptions) => void hold(options))

async function hold(options: TargetOptions): Promise<void> {
  const parentGone = new Promise<void>((resolve) => process.once('disconnect', () => resolve()))
  try {
    const target = await startHere(options)
    process.send?.(target.addresses)
    await parentGone
    await target.stop()
    process.exit(0)
  } catch (error) {
    process.send?.({ error: describeError(error) }, () => process.exit(1))
  }
}
