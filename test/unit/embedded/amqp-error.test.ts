import assert from 'node:assert/strict'
import { test } from 'node:test'
import { AmqpError } from '../../../src/embedded/amqp-error.ts'

test('a text names its code in front, as RabbitMQ does', () => {
  assert.equal(new AmqpError(404, "no queue 'q' in vhost '/'").message, "NOT_FOUND - no queue 'q' in vhost '/'")
})

test('a text too long for a short string is cut to 255 bytes with an ellipsis, never inside a character', () => {
  for (const filler of ['x', 'ü', '€', '😀']) {
    const { message } = new AmqpError(404, filler.repeat(255))
    assert.ok(Buffer.byteLength(message) <= 255)
    assert.match(message, /\.\.\.$/)
    assert.doesNotMatch(message, /\uFFFD/)
  }
})

test('403, 404, 405 and 406 end only the channel', () => {
  const ends = ([403, 404, 405, 406, 320, 501, 502, 503, 504, 505, 530, 540, 541] as const).filter(
    (code) => new AmqpError(code, '').endsChannelOnly,
  )
  assert.deepEqual(ends, [403, 404, 405, 406])
})
