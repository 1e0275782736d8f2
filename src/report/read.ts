/**
 * Reads reports that were saved, by this version or an older one of the same schema; what a newer one added is ignored. Says in a sentence
 * why a file is none.
 */
import { readFile } from 'node:fs/promises'
import { z } from 'zod'
import { describeError, FanfareError } from '../errors.ts'
import { REPORT_SCHEMA, type Report, reportSchema } from './schema.ts'

/** Throws FanfareError settings-invalid. */
export async function readReport(path: string): Promise<Report> {
  const text = await readFile(path, 'utf8').catch((error: unknown) => {
    throw new FanfareError('settings-invalid', `The report ${path} cannot be read: ${describeError(error)}`, { cause: error })
  })
  return parseReport(text, path)
}

/** `origin` names the text in complaints. Throws FanfareError settings-invalid. */
export function parseReport(text: string, origin: string): Report {
  const json = parseJson(text, origin)
  const schema = schemaOf(json)
  if (schema !== REPORT_SCHEMA) {
    const found = schema === undefined ? 'it names no schema' : `its schema is \`${schema}\``
    throw new FanfareError(
      'settings-invalid',
      `${origin} is not a report this version can read: expected \`${REPORT_SCHEMA}\`, but ${found}`,
    )
  }
  const parsed = reportSchema.safeParse(json)
  if (parsed.success) return parsed.data
  throw new FanfareError('settings-invalid', `${origin} is a damaged report:\n${z.prettifyError(parsed.error)}`)
}

function parseJson(text: string, origin: string): unknown {
  try {
    return JSON.parse(text)
  } catch (error) {
    throw new FanfareError('settings-invalid', `${origin} is not JSON: ${describeError(error)}`, { cause: error })
  }
}

const schemaOf = (json: unknown): string | undefined => {
  if (typeof json !== 'object' || json === null || !('schema' in json)) return undefined
  return typeof json.schema === 'string' ? json.schema.slice(0, 64) : undefined
}
