/**
 * Reads what TLS_CA, TLS_CERT, TLS_KEY and TLS_INSECURE name, once per thread. A file that cannot be read is a wrong
 * setting; what the files hold never shows.
 */
import { readFileSync } from 'node:fs'
import { FanfareError } from '../../errors.ts'
import type { TlsMaterial } from '../engine.ts'
import { errorCodeOf } from './socket-faults.ts'

export interface TlsSettings {
  readonly tlsCa: string | undefined
  readonly tlsCert: string | undefined
  readonly tlsKey: string | undefined
  readonly tlsInsecure: boolean
}

/** Throws `settings-invalid` when a file cannot be read. */
export function readTlsMaterial({ tlsCa, tlsCert, tlsKey, tlsInsecure }: TlsSettings): TlsMaterial {
  return {
    ...(tlsCa !== undefined && { ca: read('TLS_CA', tlsCa) }),
    ...(tlsCert !== undefined && { cert: read('TLS_CERT', tlsCert) }),
    ...(tlsKey !== undefined && { key: read('TLS_KEY', tlsKey) }),
    rejectUnauthorized: !tlsInsecure,
  }
}

function read(name: string, path: string): Buffer {
  try {
    return readFileSync(path)
  } catch (cause) {
    throw new FanfareError('settings-invalid', `Expected \`${name}\` to be a readable file, got \`${path}\` (${errorCodeOf(cause)})`, {
      cause,
    })
  }
}
