/**
 * Reads a .env file without touching the process environment, so that the loader can tell the two apart.
 */
import { config } from 'dotenv'
import { describeError, FanfareError } from '../errors.ts'

/** The variables of the file; none when there is no such file. Throws `settings-invalid` when there is one that cannot be read. */
export function readDotenvFile(path = '.env'): Readonly<Record<string, string>> {
  const { parsed = {}, error } = config({ path, processEnv: {}, quiet: true })
  if (error === undefined || (error as NodeJS.ErrnoException).code === 'ENOENT') return parsed
  throw new FanfareError('settings-invalid', `Expected \`${path}\` to be a readable file, got an error: ${describeError(error)}`, {
    cause: error,
  })
}
