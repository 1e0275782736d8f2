/**
 * `docs/report.schema.json`, made from the zod schema. Unknown members are allowed: a newer report of the same major
 * version may carry more.
 */
import { z } from 'zod'
import { REPORT_SCHEMA, reportSchema } from './schema.ts'

/** The file's whole text. */
export const reportJsonSchema = (): string =>
  `${JSON.stringify({ title: REPORT_SCHEMA, ...z.toJSONSchema(reportSchema, { io: 'input' }) }, null, 2)}\n`
