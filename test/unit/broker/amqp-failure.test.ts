import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseAmqpAddress } from '../../../src/broker/amqp-address.ts'
import { explainExchangeFailure, explainLoss, failureFromError, failureFromGreetings } from '../../../src/broker/amqp-failure.ts'
import type { Greeting } from '../../../src/broker/amqp-greeting.ts'
import type { ErrorCode } from '../../../src/errors.ts'

const plain = parseAmqpAddress('amqp://user:sesame@broker:5672/%2f')
const tls = parseAmqpAddress('amqps://user:sesame@broker:5671/%2f')
const coded = (code: string | number, message = String(code)): Error => Object.assign(new Error(message), { code })

const errorRows: [string, Error, ErrorCode | undefined, RegExp][] = [
  ['nothing listens', coded('ECONNREFUSED'), 'broker-unreachable', /Nothing listens at amqp:\/\/broker:5672/],
  ['the name is unknown', coded('ENOTFOUND'), 'broker-unreachable', /`broker` could not be resolved/],
  ['no route', coded('EHOSTUNREACH'), 'broker-unreachable', /firewall/],
  ['wrong password', new Error('Handshake terminated by server: 403 (ACCESS-REFUSED)'), 'broker-access-refused', /login of `user`/],
  ['no such virtual host', new Error('Expected ConnectionOpenOk; got <ConnectionClose channel:0>'), 'broker-vhost-missing', /`\/`/],
  ['shutting down', new Error('Handshake terminated by server: 320 (CONNECTION-FORCED)'), 'broker-unreachable', /320/],
  ['unknown authority', coded('DEPTH_ZERO_SELF_SIGNED_CERT'), 'broker-tls', /TLS_CA/],
  ['certificate of another host', coded('ERR_TLS_CERT_ALTNAME_INVALID'), 'broker-tls', /TLS_INSECURE/],
  ['our certificate is wanted', coded('ERR_SSL_TLSV13_ALERT_CERTIFICATE_REQUIRED'), 'broker-tls', /TLS_CERT and TLS_KEY/],
  ['closed in the middle of the handshake', new Error('Socket closed abruptly during opening handshake'), undefined, /./],
  ['an answer that is no frame', new Error('Frame size 1345270062 exceeds maxFrameSize 67108864'), undefined, /./],
]

for (const [title, error, code, sentence] of errorRows) {
  test(`a failed connection is explained by its error: ${title}`, () => {
    const failure = failureFromError(error, plain)
    assert.equal(failure?.code, code)
    if (failure !== undefined) assert.match(failure.message, sentence)
  })
}

test('guest from afar is told the rule that keeps it out', () => {
  const refusal = new Error('Handshake terminated by server: 403 (ACCESS-REFUSED)')
  assert.match(failureFromError(refusal, parseAmqpAddress('amqp://rabbit'))!.message, /its own host only/)
  assert.doesNotMatch(failureFromError(refusal, parseAmqpAddress('amqp://localhost'))!.message, /its own host only/)
})

test('a virtual host that ends with a slash is told that the slash belongs to the name', () => {
  const refusal = new Error('Expected ConnectionOpenOk; got <ConnectionClose channel:0>')
  assert.match(failureFromError(refusal, parseAmqpAddress('amqp://broker/live/'))!.message, /`live\/`.*part of that name/)
})

const is = (kind: Exclude<Greeting['kind'], 'text'>): Greeting => ({ kind })
const greetingRows: [string, Greeting, Greeting, 'plain' | 'tls', ErrorCode, RegExp][] = [
  ['an HTTP port', is('http'), is('none'), 'plain', 'broker-not-amqp', /HTTP server/],
  ['an HTTPS port, spoken to in plain', is('closed'), is('http'), 'plain', 'broker-not-amqp', /HTTP server/],
  ['an HTTPS port, over TLS', is('http'), is('closed'), 'tls', 'broker-not-amqp', /HTTP server/],
  ['plain on the TLS port, which answers with an alert', is('tls'), is('amqp'), 'plain', 'broker-tls', /amqps:\/\//],
  ['plain on the TLS port, which only closes', is('closed'), is('amqp'), 'plain', 'broker-tls', /amqps:\/\//],
  ['plain on a TLS port that wants our certificate', is('closed'), is('closed'), 'plain', 'broker-tls', /amqps:\/\//],
  ['TLS on the plain port', is('none'), is('amqp'), 'tls', 'broker-tls', /write amqp:\/\//],
  ['AMQP 1.0', is('other-amqp'), is('none'), 'plain', 'broker-not-amqp', /0-9-1/],
  ['SSH', { kind: 'text', shown: 'SSH-2.0' }, is('none'), 'plain', 'broker-not-amqp', /SSH-2\.0/],
  ['a port that closes at once', is('closed'), is('none'), 'plain', 'broker-unreachable', /still starting/],
  ['a port that hangs', is('silent'), is('none'), 'plain', 'broker-unreachable', /says nothing/],
  ['a broker that is well but dropped this connection', is('amqp'), is('none'), 'plain', 'broker-unreachable', /the error/],
  ['gone meanwhile', is('none'), is('none'), 'plain', 'broker-unreachable', /the error/],
  ['TLS that fails for another reason', is('none'), is('none'), 'tls', 'broker-tls', /the error/],
]

for (const [title, asAsked, otherwise, transport, code, sentence] of greetingRows) {
  test(`a failed connection is explained by the port's first bytes: ${title}`, () => {
    const failure = failureFromGreetings(asAsked, otherwise, new Error('the error'), transport === 'tls' ? tls : plain)
    assert.equal(failure.code, code)
    assert.match(failure.message, sentence)
  })
}

test('an exchange that is missing, declared otherwise or forbidden has three different codes', () => {
  assert.equal(explainExchangeFailure(coded(404), 'live', plain).code, 'exchange-missing')
  assert.equal(explainExchangeFailure(coded(406), 'live', plain).code, 'exchange-mismatch')
  assert.equal(explainExchangeFailure(coded(403), 'live', plain).code, 'broker-access-refused')
})

test('a channel that the broker closes later is not blamed on the declaration of the exchange', () => {
  assert.equal(explainLoss(coded(406, 'message too large'), 'live', plain).code, 'broker-unreachable')
})

test('no sentence holds the password', () => {
  const failures = [
    ...errorRows.map(([, error]) => failureFromError(error, plain)),
    ...greetingRows.map(([, asAsked, otherwise]) => failureFromGreetings(asAsked, otherwise, new Error('x'), plain)),
    explainLoss(coded(403), 'live', plain),
  ]
  for (const failure of failures) assert.doesNotMatch(failure?.message ?? '', /sesame/)
})
