import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseAmqpAddress } from '../../../src/broker/amqp-address.ts'
import { FanfareError } from '../../../src/errors.ts'

const rows: [string, string, Partial<ReturnType<typeof parseAmqpAddress>>][] = [
  ['nothing but a host', 'amqp://broker', { host: 'broker', port: 5672, vhost: '/', username: 'guest', password: 'guest', isTls: false }],
  ['TLS has a port of its own', 'amqps://broker', { port: 5671, isTls: true, shown: 'amqps://broker:5671' }],
  ['no path and an empty path both mean the virtual host /', 'amqp://broker/', { vhost: '/' }],
  ['/ written out', 'amqp://broker/%2f', { vhost: '/' }],
  ['a slash behind it is part of the name', 'amqp://broker/%2f/', { vhost: '//' }],
  ['a named virtual host', 'amqp://broker/live%20room', { vhost: 'live room' }],
  ['login with escapes', 'amqp://us%40er:p%2Fss%3A@broker', { username: 'us@er', password: 'p/ss:', shown: 'amqp://broker:5672' }],
  ['a user name alone has no password', 'amqp://user@broker', { username: 'user', password: '' }],
  ['IPv6', 'amqp://[::1]:5673', { host: '::1', port: 5673, shown: 'amqp://[::1]:5673' }],
  ['heartbeat by default', 'amqp://broker', { heartbeatSeconds: 10 }],
  ['heartbeat as asked', 'amqp://broker?heartbeat=3', { heartbeatSeconds: 3 }],
  ['heartbeat off', 'amqp://broker?heartbeat=0', { heartbeatSeconds: 0 }],
]

for (const [title, url, expected] of rows) {
  test(`an AMQP URL is taken apart: ${title}`, () => {
    const address = parseAmqpAddress(url)
    assert.deepEqual({ ...address, ...expected }, address)
  })
}

for (const [title, url] of [
  ['not a URL', 'broker:secret@'],
  ['another scheme', 'http://user:secret@broker'],
  ['a percent sign alone', 'amqp://user:secret%@broker/'],
  ['a heartbeat that is no number', 'amqp://user:secret@broker?heartbeat=fast'],
  ['a parameter that would be ignored', 'amqp://user:secret@broker?frameMax=8192'],
] as const) {
  test(`an AMQP URL is refused without showing its password: ${title}`, () => {
    assert.throws(
      () => parseAmqpAddress(url),
      (error) => error instanceof FanfareError && error.code === 'settings-invalid' && !error.message.includes('secret'),
    )
  })
}
