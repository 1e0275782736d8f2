import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type IRawFrameType, Parser } from '@stomp/stompjs'
import fc from 'fast-check'
import { FanfareError } from '../../../../src/errors.ts'
import { connectFrame, disconnectFrame, subscribeFrame } from '../../../../src/protocols/stomp/frame-writer.ts'
import { type StompVersion, unescapeHeader } from '../../../../src/protocols/stomp/header-text.ts'

/** What stompjs reads in our text. */
function parsed(text: string) {
  const frames: IRawFrameType[] = []
  new Parser(
    (frame) => frames.push(frame),
    () => assert.fail('a heart-beat that nobody wrote'),
  ).parseChunk(text)
  assert.equal(frames.length, 1)
  const { command, headers, binaryBody } = frames[0]!
  assert.equal(binaryBody?.length, 0)
  return { command, headers: Object.fromEntries(headers as [string, string][]) }
}

const line = fc.string({ maxLength: 40, unit: 'grapheme' }).filter((text) => !/[\n\r\0]/.test(text))

test('stompjs reads the CONNECT that was meant; it is never escaped', () => {
  fc.assert(
    fc.property(line, line, line, (host, user, password) => {
      assert.deepEqual(parsed(connectFrame({ versions: ['1.0', '1.1', '1.2'], host, user, password, heartbeatMs: 5_000 })), {
        command: 'CONNECT',
        headers: { 'accept-version': '1.0,1.1,1.2', host, 'heart-beat': '5000,5000', login: user, passcode: password },
      })
    }),
  )
})

test('a login is left out when there is none, and STOMP is said where 1.0 is not offered', () => {
  assert.deepEqual(parsed(connectFrame({ versions: ['1.2'], host: '/', user: undefined, password: undefined, heartbeatMs: 0 })), {
    command: 'STOMP',
    headers: { 'accept-version': '1.2', host: '/', 'heart-beat': '0,0' },
  })
})

test('stompjs reads the SUBSCRIBE that was meant, whatever its destination holds', () => {
  fc.assert(
    fc.property(line, fc.constantFrom<StompVersion>('1.0', '1.1', '1.2'), (destination, version) => {
      const { command, headers } = parsed(subscribeFrame(version, '0', destination, 'receipt-0'))
      assert.equal(command, 'SUBSCRIBE')
      assert.equal(unescapeHeader(version, headers.destination!), destination)
      assert.deepEqual([headers.id, headers.receipt, headers.ack], ['0', 'receipt-0', 'auto'])
    }),
  )
})

test('DISCONNECT needs no headers', () => assert.deepEqual(parsed(disconnectFrame()), { command: 'DISCONNECT', headers: {} }))

test('a line break in a login is refused by the name of its setting, never by its value', () => {
  const fields = { versions: ['1.2'] as const, host: '/', user: 'u', password: 's3cret\nlogin:root', heartbeatMs: 0 }
  assert.throws(
    () => connectFrame(fields),
    (error: FanfareError) =>
      error.code === 'settings-invalid' && error.message.includes('PROTOCOL_PASSWORD') && !error.message.includes('s3cret'),
  )
  assert.throws(() => subscribeFrame('1.2', '0', 'a\0b', 'r'), FanfareError)
})
