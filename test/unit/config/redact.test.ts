import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { endpointList, headerList, secret } from '../../../src/config/kinds.ts'

const broker = endpointList(['amqp:', 'amqps:'], { single: true })
const targets = endpointList(['ws:', 'wss:'])

test('a URL stays readable but for its password', () => {
  assert.equal(broker.redact(['amqp://guest:hunter2@rabbit:5672/%2f']), 'amqp://guest:***@rabbit:5672/%2f')
  assert.equal(broker.redact(['amqp://rabbit']), 'amqp://rabbit')
  assert.equal(targets.redact(['ws://a/?stream=public.x', 'wss://u:hunter2@b/']), 'ws://a/?stream=public.x,wss://u:***@b/')
  assert.equal(targets.redact(['ws://a/?access_token=hunter2&x=1']), 'ws://a/?access_token=***&x=1')
})

test('text that is no URL hides whatever may be a password', () => {
  const texts = {
    'amqp://guest:hunter2': 'amqp://guest:***',
    'amqp:guest:hunter2@rabbit': 'amqp:***@rabbit',
    'guest:hunter2@rabbit:5672': 'guest:***@rabbit:5672',
    'amqp://u:hunter2/x@rabbit': 'amqp://***@rabbit',
    'amqp://u:hunter2#x@rabbit': 'amqp://***@rabbit',
    'http://u:hunter2@rabbit:15672': 'http://***@rabbit:15672',
    'rabbit:5672': 'rabbit:5672',
    'amqp//rabbit': 'amqp//rabbit',
  }
  for (const [text, shown] of Object.entries(texts)) assert.equal(broker.redactText(text), shown)
})

test('no password survives redaction, however it is spelled', () => {
  const password = fc.string({ minLength: 6, maxLength: 20, unit: fc.constantFrom(...'abcXYZ789!$&*()=+-_.~%/?#:@ ,') })
  fc.assert(
    fc.property(password, fc.constantFrom('amqp://u:', 'u:', 'amqp:u:'), (drawn, before) => {
      const shown = broker.redactText(`${before}[[${drawn}]]@host:5672/`)
      assert.ok(!shown.includes('[[') && !shown.includes(']]'), shown)
    }),
  )
})

test('header values and tokens are never shown, well formed or not', () => {
  assert.equal(headerList().redact(['X-Team: blue', 'Authorization: Bearer hunter2']), 'X-Team: ***; Authorization: ***')
  assert.equal(headerList().redactText('Authorization Bearer hunter2'), '***')
  assert.equal(secret().redact('hunter2'), '***')
  assert.equal(secret().redactText('hunter2 with a space'), '***')
})
