import assert from 'node:assert/strict'
import { test } from 'node:test'
import { tableOf } from '../../../../src/embedded/codec/field-table.ts'
import type { Method } from '../../../../src/embedded/codec/methods.ts'
import { Agreement, advanceHandshake, type HandshakeRules, type HandshakeStage } from '../../../../src/embedded/connection/handshake.ts'

const rules: HandshakeRules = {
  user: 'ann',
  password: 'right',
  virtualHost: '/',
  channelMax: 2047,
  frameMaxBytes: 131_072,
  heartbeatSeconds: 60,
}

const startOk = (response: string, mechanism = 'PLAIN'): Method => ({
  name: 'connection.start-ok',
  args: {
    clientProperties: tableOf({ connection_name: 'me', capabilities: { 'basic.nack': true } }),
    mechanism,
    response: Buffer.from(response),
    locale: 'en_US',
  },
})
const tuneOk = (channelMax: number, frameMax: number, heartbeat = 5): Method => ({
  name: 'connection.tune-ok',
  args: { channelMax, frameMax, heartbeat },
})
const open = (virtualHost: string): Method => ({ name: 'connection.open', args: { virtualHost, capabilities: '', insist: false } })

const accepted: readonly (readonly [stage: HandshakeStage, method: Method, next: string, because: string])[] = [
  ['starting', startOk('\0ann\0right'), 'tuning', 'user and password are right'],
  ['starting', startOk('ann\0ann\0right'), 'tuning', 'who one acts for may be named'],
  ['tuning', tuneOk(2047, 131_072), 'opening', 'the limits are taken as offered'],
  ['tuning', tuneOk(1, 4_096, 0), 'opening', 'less is asked for, and no heartbeats'],
  ['opening', open('/'), 'running', 'the virtual host is there'],
]

for (const [stage, method, next, because] of accepted) {
  test(`${stage}: ${method.name} leads to ${next} when ${because}`, () => {
    assert.equal(advanceHandshake(stage, method, rules, new Agreement()), next)
  })
}

const LOGIN_REFUSED = 'ACCESS_REFUSED - Login was refused using authentication mechanism PLAIN. For details see the broker logfile.'

const refused: readonly (readonly [stage: HandshakeStage, method: Method, because: string, text: string])[] = [
  ['starting', startOk('\0ann\0wrong'), 'the password is wrong', LOGIN_REFUSED],
  ['starting', startOk('\0bob\0right'), 'the user is unknown', LOGIN_REFUSED],
  ['starting', startOk('nonsense'), 'the response is no login', LOGIN_REFUSED],
  ['starting', startOk('', 'EXTERNAL'), 'the mechanism is another', "ACCESS_REFUSED - login with unsupported mechanism 'EXTERNAL'"],
  ['starting', open('/'), 'a step is left out', 'CHANNEL_ERROR - unexpected method in connection state starting'],
  [
    'tuning',
    tuneOk(2047, 4_095),
    'frames would be too small',
    'NOT_ALLOWED - negotiated frame_max = 4095 is lower than the minimum allowed value (4096)',
  ],
  [
    'tuning',
    tuneOk(2047, 131_073),
    'frames would be too large',
    'NOT_ALLOWED - negotiated frame_max = 131073 is higher than the maximum allowed value (131072)',
  ],
  [
    'tuning',
    tuneOk(2047, 0),
    'frames would have no limit',
    'NOT_ALLOWED - negotiated frame_max = 0 is lower than the minimum allowed value (4096)',
  ],
  [
    'tuning',
    tuneOk(2048, 131_072),
    'there would be too many channels',
    'NOT_ALLOWED - negotiated channel_max = 2048 is higher than the maximum allowed value (2047)',
  ],
  ['opening', open('absent'), 'the virtual host is another', 'NOT_ALLOWED - vhost absent not found'],
]

for (const [stage, method, because, text] of refused) {
  test(`${stage}: ${method.name} is refused when ${because}`, () => {
    assert.throws(() => advanceHandshake(stage, method, rules, new Agreement()), { message: text })
  })
}

test('what the client says about itself and what was agreed is kept', () => {
  const agreement = new Agreement()
  advanceHandshake('starting', startOk('\0ann\0right'), rules, agreement)
  advanceHandshake('tuning', tuneOk(7, 8_192, 3), rules, agreement)
  assert.deepEqual(
    [agreement.connectionName, agreement.understands('basic.nack'), agreement.understands('connection.blocked')],
    ['me', true, false],
  )
  assert.deepEqual([agreement.channelMax, agreement.frameMaxBytes, agreement.heartbeatSeconds], [7, 8_192, 3])
})

test('a password is compared as a whole, and may hold anything but a zero byte', () => {
  const odd = { ...rules, password: 'pä ß:/@' }
  assert.equal(advanceHandshake('starting', startOk('\0ann\0pä ß:/@'), odd, new Agreement()), 'tuning')
  assert.throws(() => advanceHandshake('starting', startOk('\0ann\0pä ß:/@\0more'), odd, new Agreement()))
})
