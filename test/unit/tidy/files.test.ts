import assert from 'node:assert/strict'
import { basename, dirname, join } from 'node:path'
import { test } from 'node:test'
import { filesBelow, isThere, pages, textOf } from './project-files.ts'

const sources = filesBelow('src', '.ts')
const tests = filesBelow('test', '.ts')

/** Those of `paths` whose text matches. */
const matching = (paths: readonly string[], expression: RegExp): string[] => paths.filter((path) => expression.test(textOf(path)))

test('every source file opens by saying what it is for', () => {
  const opening = matching(sources, /^(?:#!.*\n)?\/\*\*[\s*]+\S/)
  assert.deepEqual(
    sources.filter((path) => !opening.includes(path)),
    [],
  )
})

test('files are named for an idea, in kebab-case', () => {
  for (const path of [...sources, ...tests]) {
    assert.match(basename(path), /^[a-z0-9]+(?:-[a-z0-9]+)*(?:\.test)?\.ts$/, path)
    assert.doesNotMatch(basename(path), /^(?:utils?|helpers?|common|misc|shared|lib)\./, path)
  }
})

test('nothing names a machine or a folder of the person who wrote it', () => {
  const own = [...sources, ...pages(), ...filesBelow('scripts', '.mjs'), ...filesBelow('scripts', '.sh'), 'package.json']
  assert.deepEqual(matching(own, /\/work\/|\/tmp\/|\/home\/\w|\/Users\/\w/), [])
})

test('no test is left out or singled out', () => {
  assert.deepEqual(matching(tests, /\b(?:test|it|describe)\.(?:only|skip|todo)\b|\b(?:skip|only|todo): true/), [])
})

test('nothing is left to be done', () => {
  assert.deepEqual(matching([...sources, ...tests], /\b(?:TO[D]O|FIX[M]E)\b/), [])
})

test('links between pages lead somewhere', () => {
  const broken = pages().flatMap((page) =>
    Array.from(textOf(page).matchAll(/\]\((?!https?:|#)([^)#\s]+)/g), ([, target]) => join(dirname(page), target!))
      .filter((path) => !isThere(path))
      .map((path) => `${page} links to ${path}`),
  )
  assert.deepEqual(broken, [])
})
