/**
 * Exit codes, the one table (docs/design.md §8). Scripts depend on them. It imports nothing but the error codes, because
 * the verdict and the process edge both read it.
 */
import { FanfareError, type Outcome } from './errors.ts'

export const exitCodes = { pass: 0, fail: 1, settings: 2, refused: 3, invalid: 4, fault: 70, SIGINT: 130, SIGTERM: 143 } as const
export type ExitCode = (typeof exitCodes)[keyof typeof exitCodes]

/** A counted code that ends the process all the same was let through by us. */
const codeByOutcome: Readonly<Record<Outcome, ExitCode>> = {
  settings: exitCodes.settings,
  refused: exitCodes.refused,
  invalid: exitCodes.invalid,
  fault: exitCodes.fault,
  counted: exitCodes.fault,
}

/** The exit code of an error that ended the process; anything but a FanfareError is a fault of ours. */
export const exitCodeOf = (error: unknown): ExitCode => (error instanceof FanfareError ? codeByOutcome[error.outcome] : exitCodes.fault)
