/**
 * Checks of the files that TLS settings name: readable, PEM, and belonging together. Node itself takes an authority file
 * without a certificate in it, and every client would fail later.
 */
import { X509Certificate } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { createSecureContext } from 'node:tls'
import { type CrossCheck, type Facts, failureOf, named } from './cross-check.ts'

const fileSettings = ['tlsCa', 'tlsCert', 'tlsKey'] as const

export const tlsFileChecks: readonly CrossCheck[] = [
  {
    about: ['tlsCert', 'tlsKey'],
    problem({ settings: { tlsCert, tlsKey }, origin }) {
      if ((tlsCert === undefined) === (tlsKey === undefined)) return undefined
      const [there, missing] = tlsCert === undefined ? (['tlsKey', 'tlsCert'] as const) : (['tlsCert', 'tlsKey'] as const)
      return `Expected ${named(missing)} to be given together with ${named(there)}, got only ${named(there)} (${origin(there)})`
    },
  },
  ...fileSettings.map((name) => ({
    about: [name],
    problem({ settings, origin }: Facts) {
      const file = settings[name]
      const wrong = file === undefined ? undefined : failureOf(() => readFileSync(file))
      return wrong === undefined ? undefined : `Expected ${named(name)} to be a readable file, got \`${file}\`: ${wrong} (${origin(name)})`
    },
  })),
  {
    about: ['tlsCa'],
    problem({ settings: { tlsCa }, origin }) {
      const authority = tlsCa === undefined ? undefined : contentsOf(tlsCa)
      const wrong = authority === undefined ? undefined : failureOf(() => new X509Certificate(authority))
      return wrong === undefined
        ? undefined
        : `Expected \`TLS_CA\` to hold PEM certificates, got \`${tlsCa}\`: ${wrong} (${origin('tlsCa')})`
    },
  },
  {
    about: ['tlsCert', 'tlsKey'],
    problem({ settings: { tlsCert, tlsKey }, origin }) {
      const [cert, key] = [tlsCert, tlsKey].map((file) => (file === undefined ? undefined : contentsOf(file)))
      if (cert === undefined || key === undefined) return undefined
      const wrong = failureOf(() => createSecureContext({ cert, key }))
      return wrong === undefined
        ? undefined
        : `Expected \`TLS_CERT\` and \`TLS_KEY\` to be a PEM certificate and its key: ${wrong} (${origin('tlsCert')} and ${origin('tlsKey')})`
    },
  },
]

/** undefined when the file cannot be read, which is another rule's complaint. */
function contentsOf(file: string): Buffer | undefined {
  try {
    return readFileSync(file)
  } catch {
    return undefined
  }
}
