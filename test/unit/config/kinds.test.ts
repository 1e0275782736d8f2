import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import * as kinds from '../../../src/config/kinds.ts'

test('a count takes plain decimal integers in its range and nothing else', () => {
  const kind = kinds.count(1, 20_000)
  const accepted = { '1': 1, '20000': 20_000, ' 7\n': 7, '007': 7 }
  for (const [text, value] of Object.entries(accepted)) assert.equal(kind.parse(text), value, text)
  const refused = ['', '0', '20001', '-1', '+1', '1.0', '1.5', '1e3', '1e3abc', '20_000', '20,000', '0x10', '1 2', 'ten', 'NaN', '١']
  for (const text of refused) assert.equal(kind.parse(text), undefined, text)
  assert.equal(kind.rule, 'an integer from 1 to 20000')
})

test('a count beyond safe integers is refused, not rounded', () => {
  assert.equal(kinds.count(1, Number.MAX_SAFE_INTEGER).parse('9007199254740993'), undefined)
})

test('a number takes a decimal fraction and no exponent', () => {
  const kind = kinds.number(0, 1_000, 'ms')
  assert.equal(kind.parse('0'), 0)
  assert.equal(kind.parse('0.5'), 0.5)
  for (const text of ['.5', '5.', '1e3', '-1', '1000.001', 'Infinity', '1,5']) assert.equal(kind.parse(text), undefined, text)
})

test('a flag is on or off in the usual spellings', () => {
  const kind = kinds.flag()
  for (const text of ['on', 'true', 'yes', '1', 'ON', 'True']) assert.equal(kind.parse(text), true, text)
  for (const text of ['off', 'false', 'no', '0', 'Off']) assert.equal(kind.parse(text), false, text)
  for (const text of ['', 'y', '2', 'enabled', 'onn']) assert.equal(kind.parse(text), undefined, text)
})

test('a choice takes exactly one of its words', () => {
  const kind = kinds.choice(['amqp', 'none'])
  assert.equal(kind.parse('none'), 'none')
  for (const text of ['None', 'amq', 'amqp,none']) assert.equal(kind.parse(text), undefined, text)
  assert.equal(kind.rule, 'one of amqp, none')
})

test('text is bounded in bytes and otherwise taken as it is', () => {
  const kind = kinds.text(1, 4)
  assert.equal(kind.parse(' a '), ' a ')
  assert.equal(kind.parse('€'), '€')
  for (const text of ['', '€€', 'abcde']) assert.equal(kind.parse(text), undefined, text)
})

test('a regular expression must compile', () => {
  assert.equal(kinds.regularExpression().parse('^(ok|ready)$'), '^(ok|ready)$')
  assert.equal(kinds.regularExpression().parse('(ok'), undefined)
})

test('a token cannot bring header lines of its own', () => {
  assert.equal(kinds.secret().parse('eyJhbGciOiJFZERTQSJ9.e30.c2ln\n'), 'eyJhbGciOiJFZERTQSJ9.e30.c2ln')
  assert.equal(kinds.secret().parse('abc\r\nX-Evil: 1'), undefined)
})

test('a list of targets is split before schemes only, so a query string keeps its commas', () => {
  const kind = kinds.endpointList(['ws:', 'wss:'])
  assert.deepEqual(kind.parse('ws://a:8080/?stream=x,y&z=1, wss://b/'), ['ws://a:8080/?stream=x,y&z=1', 'wss://b/'])
  assert.deepEqual(kind.parse('ws://[::1]:8080/'), ['ws://[::1]:8080/'])
  const refused = {
    'localhost:8080': 'no scheme',
    'http://a/': 'another scheme',
    'ws://': 'no host',
    'ws://a:0/': 'port 0',
    'ws://a:70000/': 'port out of range',
    'ws://a/#x': 'a fragment, which RFC 6455 forbids',
    'ws://a b/': 'a space',
    'ws://a/,b:8080/': 'a list whose second entry has no scheme',
    'ws://a,b/': 'the same without a path',
    'ws://a/,': 'a trailing comma',
    'ws://a/,http://b/': 'one entry with another scheme',
    'ws://%zz/': 'a broken escape',
  }
  for (const [text, why] of Object.entries(refused)) assert.equal(kind.parse(text), undefined, `${why}: ${text}`)
})

test('a broker is one URL, and a password that is not percent-encoded is refused rather than misread', () => {
  const kind = kinds.endpointList(['amqp:', 'amqps:'], { single: true })
  assert.deepEqual(kind.parse('amqp://guest:p%2Fw@rabbit:5672/%2f'), ['amqp://guest:p%2Fw@rabbit:5672/%2f'])
  for (const text of ['amqp://u:1/2@host', 'amqp://u:1#2@host', 'amqp://u:p%w@host', 'amqp://a,amqp://b', 'rabbit:5672'])
    assert.equal(kind.parse(text), undefined, text)
})

test('headers are split before names only, and the handshake keeps its own', () => {
  const kind = kinds.headerList()
  assert.deepEqual(kind.parse('Cookie: a=1; b=2; X-Team: blue;'), ['Cookie: a=1; b=2', 'X-Team: blue'])
  for (const text of ['no colon', 'Bad Name: x', 'Upgrade: h2c', 'sec-websocket-key: x', 'X: a\r\nY: b'])
    assert.equal(kind.parse(text), undefined, text)
})

test('addresses are expanded once and shown as ranges again', () => {
  const kind = kinds.addressList()
  const addresses = kind.parse('127.0.0.254-127.0.1.1, 10.0.0.1, ::1, 127.0.1.1')
  assert.deepEqual(addresses, ['127.0.0.254', '127.0.0.255', '127.0.1.0', '127.0.1.1', '10.0.0.1', '::1'])
  assert.equal(kind.format(addresses!), '127.0.0.254-127.0.1.1,10.0.0.1,::1')
  for (const text of [
    '127.0.0.2-127.0.0.1',
    '127.0.0',
    'a-b',
    '::1-::2',
    '0.0.0.0-255.255.255.255',
    '127.0.0.1,',
    '1.2.3.4-1.2.3.5-1.2.3.6',
  ])
    assert.equal(kind.parse(text), undefined, text)
})

test('every value reads back from its own text', () => {
  const kind = kinds.addressList()
  const address = fc.ipV4()
  fc.assert(
    fc.property(fc.uniqueArray(address, { minLength: 1, maxLength: 20 }), (addresses) => {
      assert.deepEqual(kind.parse(kind.format(addresses)), addresses)
    }),
  )
  fc.assert(
    fc.property(fc.double({ min: 0.001, max: 1_000, noNaN: true }), (value) => {
      const decimal = kinds.number(0, 1_000, 'ms')
      assert.equal(decimal.parse(decimal.format(value)), value)
    }),
  )
})
