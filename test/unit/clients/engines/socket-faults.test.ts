import assert from 'node:assert/strict'
import { it } from 'node:test'
import { boundedText, type ConnectionStage, errorText, faultOf } from '../../../../src/clients/engines/socket-faults.ts'

// error code, stage, what it counts as
const rows: [errorCode: string | undefined, stage: ConnectionStage, code: string][] = [
  ['ENOTFOUND', 'connecting', 'dns'],
  ['EAI_AGAIN', 'connecting', 'dns'],
  ['ECONNREFUSED', 'connecting', 'refused'],
  ['EHOSTUNREACH', 'connecting', 'unreachable'],
  ['ENETUNREACH', 'connecting', 'unreachable'],
  ['EMFILE', 'connecting', 'no-descriptors'],
  ['EADDRNOTAVAIL', 'connecting', 'no-ports'],
  ['EADDRINUSE', 'connecting', 'no-ports'],
  // the kernel gave up before our own timer did
  ['ETIMEDOUT', 'connecting', 'connect-timeout'],
  // a reset means something else at each stage
  ['ECONNRESET', 'connecting', 'reset-before-upgrade'],
  ['ECONNRESET', 'securing', 'tls'],
  ['ECONNRESET', 'upgrading', 'reset-before-upgrade'],
  ['ECONNRESET', 'open', 'reset-by-target'],
  ['EPIPE', 'open', 'reset-by-target'],
  ['DEPTH_ZERO_SELF_SIGNED_CERT', 'securing', 'tls'],
  ['ERR_TLS_CERT_ALTNAME_INVALID', 'securing', 'tls'],
  ['ERR_SSL_WRONG_VERSION_NUMBER', 'securing', 'tls'],
  ['EPROTO', 'securing', 'tls'],
  ['HPE_INVALID_CONSTANT', 'upgrading', 'bad-upgrade'],
  // whatever else there is
  ['ETIMEDOUT', 'open', 'socket-error'],
  ['ENOBUFS', 'open', 'socket-error'],
  [undefined, 'open', 'socket-error'],
]
for (const [errorCode, stage, code] of rows) {
  it(`${errorCode ?? 'an error without a code'} while ${stage} counts as ${code}`, () => {
    assert.equal(faultOf(errorCode, stage), code)
  })
}

it('a text from outside becomes one short line', () => {
  assert.equal(boundedText('a\r\nb\u0000\u001b[31mc\u202e'), 'a b [31mc')
  assert.equal(boundedText('x'.repeat(1_000)).length, 201)
})

it('an error of OpenSSL is told by its reason', () => {
  const message = 'write EPROTO C0A64734877F0000:error:0A00010B:SSL routines:ssl3_get_record:wrong version number:…:350:'
  assert.equal(errorText(Object.assign(new Error(message), { reason: 'wrong version number' })), 'wrong version number')
  assert.equal(errorText(new Error('connect ECONNREFUSED 127.0.0.1:1')), 'connect ECONNREFUSED 127.0.0.1:1')
})
