/** Finds the reports of one side of a comparison: one file, or all `report.json` below a folder. */
import { readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { describeError, FanfareError } from '../../errors.ts'
import { readReport } from '../read.ts'
import type { Side } from './compare.ts'

/** Throws FanfareError settings-invalid: nothing there, no report in the folder, or a file that is none. */
export async function loadSide(path: string): Promise<Side> {
  const found = await stat(path).catch((error: unknown) => {
    throw new FanfareError('settings-invalid', `${path} cannot be read: ${describeError(error)}`, { cause: error })
  })
  const files = found.isDirectory() ? await reportsBelow(path) : [path]
  if (files.length === 0) throw new FanfareError('settings-invalid', `There is no report.json in ${path}`)
  const reports = await Promise.all(files.map(readReport))
  return { label: path, reports: reports.sort((a, b) => a.startedAt.localeCompare(b.startedAt)) }
}

const reportsBelow = async (folder: string): Promise<string[]> =>
  (await readdir(folder, { recursive: true })).filter((name) => /(?:^|[\\/])report\.json$/.test(name)).map((name) => join(folder, name))
