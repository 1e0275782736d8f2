/**
 * TLS material for amqps, read from the files that the settings name.
 */
import { readFileSync } from 'node:fs'
import type { Settings } from '../config/settings.ts'
import { describeError, FanfareError } from '../errors.ts'

export type TlsSettings = Pick<Settings, 'tlsCa' | 'tlsCert' | 'tlsKey' | 'tlsInsecure'>

export interface TlsOptions {
  readonly ca?: Buffer
  readonly cert?: Buffer
  readonly key?: Buffer
  readonly rejectUnauthorized?: false
}

/** Throws `settings-invalid` for a file that cannot be read. */
export function tlsOptions(settings: TlsSettings): TlsOptions {
  const ca = content('TLS_CA', settings.tlsCa)
  const cert = content('TLS_CERT', settings.tlsCert)
  const key = content('TLS_KEY', settings.tlsKey)
  return {
    ...(ca && { ca }),
    ...(cert && { cert }),
    ...(key && { key }),
    ...(settings.tlsInsecure && { rejectUnauthorized: false }),
  }
}

function content(name: string, path: string | undefined): Buffer | undefined {
  if (path === undefined) return undefined
  try {
    return readFileSync(path)
  } catch (error) {
    throw new FanfareError('settings-invalid', `${name} names a file that cannot be read: ${describeError(error)}.`, { cause: error })
  }
}
