import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { handshakeRequest, readHandshakeAnswer } from '../../../../src/clients/wire/handshake.ts'

// The example of RFC 6455 §1.3.
const KEY = 'dGhlIHNhbXBsZSBub25jZQ=='
const ACCEPT = 's3pPLMBiTxaQ9kYGzzhZRbK+xOo='
const accepted = ['HTTP/1.1 101 Switching Protocols', 'Upgrade: websocket', 'Connection: Upgrade', `Sec-WebSocket-Accept: ${ACCEPT}`]
const answer = (lines: readonly string[], tail = ''): Buffer => Buffer.from(`${lines.join('\r\n')}\r\n\r\n${tail}`, 'latin1')
const read = (bytes: Buffer, subprotocols: readonly string[] = []) => readHandshakeAnswer(bytes, KEY, subprotocols)

describe('the handshake request', () => {
  const handshake = { url: new URL('ws://example.org:8080/ignored'), requestTarget: '/a?stream=x,y', headers: {}, subprotocols: [] }

  it('is the request line as given and the headers of RFC 6455', () => {
    assert.equal(
      handshakeRequest(handshake, KEY),
      `GET /a?stream=x,y HTTP/1.1\r\nHost: example.org:8080\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: ${KEY}\r\n\r\n`,
    )
  })

  it('lets the dialect replace the host and offer subprotocols', () => {
    const request = handshakeRequest({ ...handshake, headers: { HOST: 'other' }, subprotocols: ['a', 'b'] }, KEY)
    assert.match(request, /\r\nHOST: other\r\n/)
    assert.doesNotMatch(request, /Host: example/)
    assert.match(request, /\r\nSec-WebSocket-Protocol: a,b\r\n/)
  })

  it('leaves out the port that goes without saying', () => {
    assert.match(handshakeRequest({ ...handshake, url: new URL('ws://example.org:80/') }, KEY), /\r\nHost: example\.org\r\n/)
  })
})

describe('the answer to a handshake', () => {
  it('is accepted with what follows the head left over', () => {
    const bytes = answer(accepted, 'frames')
    assert.deepEqual(read(bytes), { kind: 'accepted', subprotocol: '', headBytes: bytes.length - 6 })
  })

  it('may write names and tokens in any case, with other connection options', () => {
    const lines = [
      'HTTP/1.1 101',
      'UPGRADE: WebSocket',
      'connection: keep-alive,  upgrade',
      `sec-websocket-accept:${ACCEPT}  `,
      'Server: x',
    ]
    assert.equal(read(answer(lines)).kind, 'accepted')
  })

  it('is incomplete until its last byte, and accepted then', () => {
    const bytes = answer(accepted)
    for (let length = 0; length < bytes.length; length++) assert.equal(read(bytes.subarray(0, length)).kind, 'incomplete')
    assert.equal(read(bytes).kind, 'accepted')
  })

  it('tells another status', () => {
    assert.deepEqual(read(answer(['HTTP/1.1 429 Slow down'])), { kind: 'http-status', httpStatus: 429, text: 'http 429 Slow down' })
    assert.deepEqual(read(answer(['HTTP/1.0 503'])), { kind: 'http-status', httpStatus: 503, text: 'http 503' })
  })

  const without = (name: string) => accepted.filter((line) => !line.startsWith(name))
  // what is wrong, the answer, what was offered
  const bad: [what: string, bytes: Buffer, offered?: string[]][] = [
    ['no Upgrade', answer(without('Upgrade'))],
    ['another Upgrade', answer([...without('Upgrade'), 'Upgrade: h2c'])],
    ['no Connection', answer(without('Connection'))],
    ['no Accept', answer(without('Sec'))],
    ['a wrong Accept', answer([...without('Sec'), `Sec-WebSocket-Accept: ${ACCEPT.toLowerCase()}`])],
    ['Accept twice', answer([...accepted, `Sec-WebSocket-Accept: ${ACCEPT}`])],
    ['an extension', answer([...accepted, 'Sec-WebSocket-Extensions: permessage-deflate'])],
    ['a subprotocol that was not offered', answer([...accepted, 'Sec-WebSocket-Protocol: b']), ['a']],
    ['a subprotocol although none was offered', answer([...accepted, 'Sec-WebSocket-Protocol: b'])],
    ['no subprotocol although some were offered', answer(accepted), ['a']],
    ['another protocol', Buffer.from('AMQP\0\0\u0009\u0001')],
    ['HTTP/2', answer(['HTTP/2 101', ...accepted.slice(1)])],
    ['a line that is no header', answer([...accepted, 'no colon'])],
    ['a folded header', answer([...accepted, 'X: a', ' b'])],
    ['a head without end', Buffer.from(`HTTP/1.1 101\r\nX: ${'y'.repeat(20_000)}`)],
  ]
  for (const [what, bytes, offered] of bad) {
    it(`is a bad upgrade with ${what}`, () => {
      assert.equal(read(bytes, offered).kind, 'bad-upgrade')
    })
  }

  it('never throws and never accepts anything but the key, whatever the bytes are', () => {
    const piece = fc.constantFrom(
      'HTTP/1.1 101 x',
      '\r\n',
      '\r\n\r\n',
      ':',
      'Upgrade: websocket\r\n',
      'Connection: Upgrade\r\n',
      '\0',
      'Sec-WebSocket-Accept: ',
      '\t'.repeat(5_000),
    )
    const hostile = fc.oneof(
      fc.uint8Array(),
      fc.array(piece).map((parts) => Buffer.from(parts.join(''))),
    )
    fc.assert(
      fc.property(hostile, (bytes) => {
        assert.notEqual(read(Buffer.from(bytes)).kind, 'accepted')
      }),
    )
  })
})
