/**
 * Signals and closed pipes. The first SIGINT or SIGTERM asks the run to stop, so that a report of what happened is still
 * written; the second leaves at once. It knows nothing of runs: what stopping means is up to who listens.
 */
import { FanfareError } from '../errors.ts'
import { exitCodes } from '../exit-codes.ts'

export type StopSignal = 'SIGINT' | 'SIGTERM'

export interface Shutdown {
  /** Aborted by the first signal, with what `reasonFor` made of it. */
  readonly stop: AbortSignal
  /** Stops listening; signals then do what they do by default. */
  dispose(): void
}

/** The part of `process` that is needed. */
export type SignalSource = Pick<NodeJS.Process, 'on' | 'off' | 'exit'>

export function listenForShutdown(reasonFor: (signal: StopSignal) => unknown, source: SignalSource = process): Shutdown {
  const controller = new AbortController()
  const onSignal = (signal: StopSignal): void => {
    if (controller.signal.aborted) source.exit(exitCodes[signal])
    controller.abort(reasonFor(signal))
  }
  source.on('SIGINT', onSignal)
  source.on('SIGTERM', onSignal)
  return {
    stop: controller.signal,
    dispose() {
      source.off('SIGINT', onSignal)
      source.off('SIGTERM', onSignal)
    },
  }
}

/**
 * Lets the reader of the results go away (`fanfare run | head`): what would be written there is dropped, the run and its
 * report go on. Any other error, such as a full disk, is thrown as `output-failed`.
 */
export function tolerateClosedPipe(stream: NodeJS.WritableStream): void {
  stream.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE')
      throw new FanfareError('output-failed', `The results could not be written: ${error.message}`, { cause: error })
  })
}

/** For a stream that only carries logs: whatever happens to it, no run is worth less for it. */
export function tolerateAnything(stream: NodeJS.WritableStream): void {
  stream.on('error', () => undefined)
}
