import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { textOf } from '../tidy/project-files.ts'

const dockerfile = textOf('Dockerfile')
const instructions = dockerfile
  .replaceAll(/^#.*\n/gm, '')
  .replaceAll('\\\n', ' ')
  .split('\n')
  .filter((line) => line !== '')
const lastStage = instructions.slice(instructions.findLastIndex((line) => line.startsWith('FROM ')))
const inLastStage = (name: string): string[] =>
  lastStage.filter((line) => line.startsWith(`${name} `)).map((line) => line.slice(name.length + 1))

describe('the image', () => {
  test('is built in two stages and needs no frontend from a registry', () => {
    assert.doesNotMatch(dockerfile, /^#\s*syntax=/m)
    assert.equal(instructions.filter((line) => line.startsWith('FROM ')).length, 2)
    assert.deepEqual(
      inLastStage('COPY').filter((line) => !line.startsWith('--from=build ')),
      [],
    )
  })

  test('runs without rights, on the newest Node LTS', () => {
    assert.deepEqual(inLastStage('USER'), ['node'])
    assert.match(instructions[0]!, /^ARG NODE_IMAGE=node:26-slim$/)
  })

  test('hands signals to the program itself', () => {
    assert.deepEqual(inLastStage('ENTRYPOINT'), ['["node", "dist/main.js"]'])
    assert.deepEqual(inLastStage('CMD'), ['["run"]'])
  })

  test('shows metrics outside of the container and is healthy while they answer', () => {
    assert.match(inLastStage('ENV').join(' '), /\bMETRICS_HOST=0\.0\.0\.0\b/)
    const [check] = inLastStage('HEALTHCHECK')
    assert.match(check!, /\/healthz/)
    assert.match(check!, /METRICS_PORT/)
  })

  test('takes in what the build needs and nothing else', () => {
    const [first, ...exceptions] = textOf('.dockerignore').trim().split('\n')
    assert.equal(first, '*')
    const needed = instructions.filter((line) => /^COPY (?!--from)/.test(line)).flatMap((line) => line.split(' ').slice(1, -1))
    assert.deepEqual(exceptions.map((line) => line.replace(/^!/, '')).toSorted(), needed.toSorted())
  })
})
