import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { encodeBody, envelope } from '../../../src/target/envelope.ts'

test('bodies come out as Go encodes them', () => {
  const rows: [body: string, encoded: string | undefined][] = [
    ['{"b":1, "a": [1.50, true, null]}', '{"a":[1.5,true,null],"b":1}'],
    ['{"10":1,"9":2}', '{"10":1,"9":2}'], // sorted as texts; JavaScript alone would put 9 first
    ['"<a href=\\"?x&y\\">"', '"\\u003ca href=\\"?x\\u0026y\\"\\u003e"'],
    ['"\u2028"', '"\\u2028"'],
    ['{"a":1,"a":2}', '{"a":2}'],
    ['{"__proto__":1}', '{"__proto__":1}'],
    ['12345678901234567890', '12345678901234567000'], // float64
    ['1e21', '1e+21'],
    ['-0', '-0'],
    ['"\\ud800"', '"\ufffd"'],
    ['1e999', undefined],
    ['{"a":', undefined],
    ['', undefined],
  ]
  for (const [body, encoded] of rows) assert.equal(encodeBody(Buffer.from(body)), encoded, body)
})

test('a body nested deeper than the stack is dropped, not thrown', () => {
  assert.equal(encodeBody(Buffer.from('['.repeat(200_000) + ']'.repeat(200_000))), undefined)
})

test('whatever JSON goes in, the same value comes out, in an envelope', () => {
  fc.assert(
    fc.property(fc.jsonValue({ noUnicodeString: false }), (value) => {
      const encoded = encodeBody(Buffer.from(JSON.stringify(value)))
      assert.deepEqual(JSON.parse(envelope('public.<x>', encoded ?? '')), { 'public.<x>': JSON.parse(JSON.stringify(value)) })
      assert.doesNotMatch(encoded ?? '', /[<>&]/)
    }),
  )
})
