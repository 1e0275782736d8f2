// Writes the parts of README.md and docs/ that are made from tables in src: `npm run docs`. Tests fail when one is out of date.
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { settingsTables } from '../src/config/settings-page.ts'
import { metricTables } from '../src/metrics/page.ts'
import { reportJsonSchema } from '../src/report/json-schema.ts'
import { glossaryList, warningTable } from '../src/report/reading-page.ts'
import { figureTables } from '../src/report/thresholds-page.ts'

const docs = fileURLToPath(new URL('../docs', import.meta.url))

/** Puts `text` between `<!-- name -->` and `<!-- /name -->`. */
function fill(file, name, text) {
  const path = join(docs, file)
  const [before, rest] = readFileSync(path, 'utf8').split(`<!-- ${name} -->\n`)
  const [, after] = rest.split(`<!-- /${name} -->`)
  writeFileSync(path, `${before}<!-- ${name} -->\n${text}\n<!-- /${name} -->${after}`)
}

writeFileSync(join(docs, 'report.schema.json'), reportJsonSchema())
fill('../README.md', 'settings', settingsTables())
fill('thresholds.md', 'figures', figureTables())
fill('metrics.md', 'metrics', metricTables())
fill('reading-a-report.md', 'glossary', glossaryList())
fill('reading-a-report.md', 'warnings', warningTable())
