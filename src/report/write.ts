/**
 * Puts a report where people look for it. The result of a run is never lost: a file appears whole or not at all, and when the
 * folder fails the caller gets the JSON to print.
 */
import { mkdir, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describeError } from '../errors.ts'
import type { Report } from './schema.ts'

export type Written =
  | { readonly isWritten: true; readonly path: string }
  /** `json` goes to stdout and `warning` to stderr. */
  | { readonly isWritten: false; readonly json: string; readonly warning: string }

/** The report as text: indented, but with one line for each entry of long lists, so that an hour stays readable and small. */
export function reportJson(report: Report): string {
  const members = Object.entries(report)
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => `  ${JSON.stringify(name)}: ${isLongList(name, value) ? listText(value) : indented(value)}`)
  return `{\n${members.join(',\n')}\n}\n`
}

const isLongList = (name: string, value: unknown): value is unknown[] =>
  Array.isArray(value) && (name === 'timeline' || name === 'latencyBucketBoundsUs')

const listText = (entries: readonly unknown[]): string =>
  entries.length === 0 ? '[]' : `[\n${entries.map((entry) => `    ${JSON.stringify(entry)}`).join(',\n')}\n  ]`

const indented = (value: unknown): string => JSON.stringify(value, null, 2).replaceAll('\n', '\n  ')

/**
 * Writes REPORT_DIR/<runId>/report.json. Never rejects.
 * @param part a folder below that, for a report that is not the run's own but a replica's
 */
export async function writeReport(report: Report, reportDir: string, part = ''): Promise<Written> {
  const folder = join(reportDir, report.runId, part)
  const path = join(folder, 'report.json')
  const json = reportJson(report)
  try {
    await mkdir(folder, { recursive: true })
    await writeWhole(path, json)
    return { isWritten: true, path }
  } catch (error) {
    return {
      isWritten: false,
      json,
      warning: `The report could not be written to ${path} (${describeError(error)}); it is printed instead`,
    }
  }
}

/** A reader sees the old file or the new one, never half of one. */
async function writeWhole(path: string, text: string): Promise<void> {
  const temporary = `${path}.${process.pid}.tmp`
  try {
    await writeFile(temporary, text, { flush: true })
    await rename(temporary, path)
  } catch (error) {
    await rm(temporary, { force: true }).catch(() => undefined)
    throw error
  }
}
