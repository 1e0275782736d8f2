import assert from 'node:assert/strict'
import { test } from 'node:test'
import { FanfareError } from '../../../src/errors.ts'
import { parseHabits } from '../../../src/target/habits/parse.ts'
import { tableRows, textOf } from './project-files.ts'

const habitRows = () => tableRows(/\n## Habits\n(.*?)\n## /s.exec(textOf('docs/target.md'))?.[1] ?? '')

/** The kinds there are, as the refusal of an unknown one lists them. */
function knownKinds(): string[] {
  try {
    parseHabits([{ kind: 'unknown' }])
  } catch (error) {
    assert.ok(error instanceof FanfareError)
    return /one of (.*), got/.exec(error.message)?.[1]?.split(', ') ?? []
  }
  return []
}

test('docs/target.md describes every habit there is and no other', () => {
  assert.deepEqual(
    habitRows()
      .map(([kind]) => kind!.replaceAll('`', ''))
      .toSorted(),
    knownKinds().toSorted(),
  )
})

test('every field that docs/target.md names for a habit is one it takes', () => {
  for (const [kind, fields] of habitRows()) {
    const names = [...(fields ?? '').replaceAll(/\([^)]*\)|: [^;]*/g, '').matchAll(/`(\w+)`/g)].map(([, name]) => name!)
    const habit = { kind: kind!.replaceAll('`', ''), ...Object.fromEntries(names.map((name) => [name, null])) }
    assert.doesNotMatch(problemsOf(habit), /there is no such field/, JSON.stringify(habit))
  }
})

function problemsOf(habit: unknown): string {
  try {
    parseHabits([habit])
    return ''
  } catch (error) {
    return String(error)
  }
}
