import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { TokenReader, writeToken } from '../../../src/probe/codec.ts'
import type { Probe } from '../../../src/probe/probe.ts'
import { type BodyTemplate, compileTemplate, placeholders } from '../../../src/probe/template.ts'

const probe: Probe = { run: 'k3v9q2x1', stream: 37, sequence: 42, intendedUs: 1_760_000_000_123_456, sentUs: 1_760_000_000_999_999 }

function compiled(template: string | undefined, sizeBytes?: number, lastSequence = 999): BodyTemplate {
  const result = compileTemplate({ template, sizeBytes, lastSequence })
  if ('problem' in result) assert.fail(result.problem)
  return result
}

function problem(template: string | undefined, sizeBytes?: number, lastSequence = 999): string {
  const result = compileTemplate({ template, sizeBytes, lastSequence })
  return 'problem' in result ? result.problem : assert.fail('expected a problem')
}

test('the default body has the shape of the seed tool and the token', () => {
  const body = compiled(undefined).render(probe).toString()
  assert.equal(body, `{"cmd":"Test","time":1760000000999,"probe":"${writeToken(probe)}"}`)
})

test('a size pads the default body to exactly that many bytes', () => {
  for (const sizeBytes of [119, 120, 1_000, 65_536]) {
    const body = compiled(undefined, sizeBytes).render(probe)
    assert.equal(body.length, sizeBytes)
    assert.match(JSON.parse(body.toString()).pad, /^x*$/)
  }
})

test('a size below the smallest body is a problem that names both sizes', () => {
  assert.equal(problem(undefined, 10), 'Expected a body size of at least 119 bytes, which the template needs without padding, got 10')
  assert.equal(compiled(undefined, 119).render(probe).length, 119)
  // The longest sequence decides, so that no probe of the run is longer than the others.
  assert.match(problem('{{sequence}}{{probe}}{{pad}}', 66, 999), /at least 67 bytes.*got 66/)
  assert.equal(compiled('{{sequence}}{{probe}}{{pad}}', 67, 999).render(probe).length, 67)
})

test('every placeholder is replaced', () => {
  const body = compiled('{{run}} {{stream}} {{sequence}} {{intendedMs}} {{sentMs}} {{pad}}{{probe}} {{sequence}}').render(probe).toString()
  assert.equal(body, `k3v9q2x1 0011 42 1760000000123 1760000000999 ${writeToken(probe)} 42`)
})

test('a template that cannot work is a problem in a sentence', () => {
  assert.match(problem('{{prob}}'), /\{\{sequence\}\}.*got \{\{prob\}\}/)
  assert.match(problem('{{}}{{probe}}'), /got \{\{\}\}/)
  assert.match(problem('no token'), /\{\{probe\}\} exactly once.*0 times/)
  assert.match(problem('{{probe}}{{probe}}'), /\{\{probe\}\} exactly once.*2 times/)
  assert.match(problem('{{probe}}', 500), /\{\{pad\}\} exactly once.*500 bytes.*0 times/)
})

test('any template around the token renders a body in which exactly that token is found', () => {
  const text = fc.string({ unit: 'grapheme' }).map((value) => value.replaceAll('{{', '{'))
  const pieces = fc.array(
    fc.oneof(
      text,
      fc.constantFrom(...placeholders.filter((name) => name !== 'probe')).map((name) => `{{${name}}}`),
    ),
  )
  fc.assert(
    fc.property(pieces, pieces, (before, after) => {
      const body = compiled(`${before.join('')} {{probe}} ${after.join('')}`).render(probe)
      const reader = new TokenReader(probe.run)
      const offset = reader.findToken(body, 0, body.length)
      assert.equal(body.toString('latin1', offset, offset + 64), writeToken(probe))
      assert.equal(reader.findToken(body, offset + 1, body.length), -1)
    }),
  )
})
