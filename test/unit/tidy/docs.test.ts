import assert from 'node:assert/strict'
import { test } from 'node:test'
import { settingsTable } from '../../../src/config/settings.ts'
import { settingsTables } from '../../../src/config/settings-page.ts'
import { errorTable, type Outcome } from '../../../src/errors.ts'
import { exitCodes } from '../../../src/exit-codes.ts'
import { pages, sectionOf, tableRows, textOf } from './project-files.ts'

const variables: readonly string[] = Object.values(settingsTable).map((row) => row.env)

test('the README’s settings are the table’s; npm run docs writes them', () => {
  assert.equal(sectionOf('README.md', 'settings'), settingsTables())
})

test('the README’s settings read back as the table’s, row by row', () => {
  const rows = tableRows(sectionOf('README.md', 'settings')!)
  assert.deepEqual(rows.map(([name]) => name!.replaceAll('`', '')).toSorted(), variables.toSorted())
})

test('pages speak of no setting that does not exist', () => {
  // Names that look like settings: a typing error as an example, variables of tests and of other programs.
  const others = ['WS_POOLSIZE', 'TEST_AMQP_ADDR', 'LIMITS_DIR', 'NO_COLOR', 'CLOCK_MONOTONIC', 'TIME_WAIT']
  for (const page of pages()) {
    for (const [, name] of textOf(page).matchAll(/`([A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+)(?:=[^`]*)?`/g)) {
      assert.ok(variables.includes(name!) || others.includes(name!), `${page}: ${name}`)
    }
  }
})

test('docs/errors.md and the table of codes say the same, in both directions', () => {
  const documented = Object.fromEntries(tableRows(textOf('docs/errors.md')).map(([code, meaning]) => [code!.replaceAll('`', ''), meaning]))
  const known = Object.fromEntries(Object.entries(errorTable).map(([code, { meaning }]) => [code, meaning]))
  assert.deepEqual(documented, known)
})

test('docs/errors.md puts every code under its exit code', () => {
  const headings: Record<Outcome, string> = {
    settings: `exit code ${exitCodes.settings}`,
    refused: `exit code ${exitCodes.refused}`,
    invalid: `exit code ${exitCodes.invalid}`,
    fault: `exit code ${exitCodes.fault}`,
    counted: 'Counted',
  }
  const chapters = textOf('docs/errors.md').split('\n## ')
  for (const [code, { outcome }] of Object.entries(errorTable)) {
    const chapter = chapters.find((text) => text.includes(`\n| \`${code}\` |`)) ?? ''
    assert.ok(chapter.split('\n')[0]!.includes(headings[outcome]), code)
  }
})
