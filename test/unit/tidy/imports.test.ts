import assert from 'node:assert/strict'
import { dirname, join } from 'node:path'
import { test } from 'node:test'
import { filesBelow, tableRows, textOf } from './project-files.ts'

/** What a folder may import: names of folders and files at the top of src; `types`: by `import type` only. */
type Rules = ReadonlyMap<string, { readonly values: readonly string[]; readonly types: readonly string[] }>

/** The parts that wire the others. */
const WIRING = ['main', 'commands']

function readRules(): Rules {
  const table = textOf('docs/design.md').split('| from | may import |')[1]!.split('\n\n')[0]!
  const namesIn = (cell: string) => Array.from(cell.matchAll(/`([\w-]+)`/g), (match) => match[1]!)
  return new Map(
    tableRows(table).flatMap(([from, allowed]) => {
      const types = namesIn(Array.from(allowed!.matchAll(/`[\w-]+` \(types\)/g)).join(' '))
      const values = namesIn(allowed!).filter((name) => !types.includes(name))
      return namesIn(from!).map((name) => [name, { values, types }] as const)
    }),
  )
}

/** `src/run/run.ts` and `src/units.ts` belong to `run` and `units`. */
const partOf = (path: string): string => path.split('/')[1]!.replace(/\.ts$/, '')

interface Import {
  readonly target: string
  readonly isType: boolean
}

/** Static and dynamic imports and re-exports of our own files. */
function importsOf(path: string): Import[] {
  const statements = textOf(path).matchAll(
    /^(?:import|export)\s(?:(?!^(?:import|export)\s)[^;'])*?from '(\.[^']+)'|import\('(\.[^']+)'\)/gm,
  )
  return Array.from(statements, ([statement, from, dynamic]) => {
    const names = /\{(.*)\}/s
      .exec(statement)?.[1]
      ?.split(',')
      .filter((name) => name.trim() !== '')
    const isType = /^(?:import|export) type\s/.test(statement) || (names?.every((name) => /^\s*type\s/.test(name)) ?? false)
    return { target: join(dirname(path), (from ?? dynamic)!), isType }
  })
}

test('imports go in the directions of docs/design.md only', () => {
  const rules = readRules()
  const strays = filesBelow('src', '.ts').flatMap((path) => {
    const part = partOf(path)
    if (WIRING.includes(part)) return []
    const rule = rules.get(part)
    if (rule === undefined) return [`${path}: docs/design.md says nothing about ${part}`]
    return importsOf(path)
      .filter(({ target }) => partOf(target) !== part)
      .filter(({ target, isType }) => !rule.values.includes(partOf(target)) && !(isType && rule.types.includes(partOf(target))))
      .map(({ target }) => `${path} imports ${target}`)
  })
  assert.deepEqual(strays, [])
})

test('every file that src imports is there, and no two files import each other', () => {
  const files = filesBelow('src', '.ts')
  const imports = new Map(files.map((path) => [path, importsOf(path).filter(({ isType }) => !isType)]))
  for (const [path, targets] of imports) {
    for (const { target } of targets) {
      assert.ok(files.includes(target), `${path} imports ${target}`)
      assert.ok(!imports.get(target)!.some((back) => back.target === path), `${path} and ${target} import each other`)
    }
  }
})
