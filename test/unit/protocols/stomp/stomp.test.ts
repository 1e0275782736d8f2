import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { FanfareError } from '../../../../src/errors.ts'
import { createStomp, type StompSettings } from '../../../../src/protocols/stomp/stomp.ts'
import { RecordingPort } from '../../../doubles/recording-port.ts'

const settings: StompSettings = {
  wsHeaders: [],
  wsToken: undefined,
  wsSubprotocol: undefined,
  stompVersion: 'any',
  stompHost: '/',
  protocolUser: 'user{{index}}',
  protocolPassword: 'secret',
  protocolKeepAliveS: 10,
  maxFrameBytes: 1_000,
}
const identity = { client: 7, replica: 0, runId: 'k3v9q2x1', streams: ['/topic/a:b', '/topic/c'] }

const connected = (...headers: string[]) => `CONNECTED\n${headers.map((header) => `${header}\n`).join('')}\n\0\n`
const receipt = (id: string) => `RECEIPT\nreceipt-id:${id}\n\n\0\n`
const RECEIPTS = receipt('subscription-0') + receipt('subscription-1')
const message = (body: string, ...headers: string[]) =>
  `MESSAGE\n${[...headers, 'subscription:0', `content-length:${body.length}`].map((header) => `${header}\n`).join('')}\n${body}\0\n`

function openSession(more: Partial<StompSettings> = {}) {
  const session = createStomp({ ...settings, ...more }).session(identity)
  const port = new RecordingPort()
  session.opened(port)
  return {
    session,
    port,
    hear(text: string, isBinary = false) {
      const bytes = Buffer.from(text)
      session.frame(bytes, 0, bytes.length, isBinary, port)
    },
  }
}

describe('a session of STOMP', () => {
  test('says who it is, subscribes to each stream, and is ready when each has its receipt', () => {
    const { port, hear } = openSession()
    assert.equal(port.sent[0], 'CONNECT\naccept-version:1.0,1.1,1.2\nhost:/\nheart-beat:10000,10000\nlogin:user7\npasscode:secret\n\n\0')
    hear(connected('version:1.2'))
    assert.deepEqual(port.sent.slice(1), [
      'SUBSCRIBE\nid:0\ndestination:/topic/a\\cb\nreceipt:subscription-0\nack:auto\n\n\0',
      'SUBSCRIBE\nid:1\ndestination:/topic/c\nreceipt:subscription-1\nack:auto\n\n\0',
    ])
    hear(receipt('subscription-1'))
    assert.equal(port.readyCalls, 0)
    hear(receipt('subscription-0'))
    assert.equal(port.readyCalls, 1)
    assert.deepEqual(port.counted, ['login', 'ack', 'ack'])
  })

  test('writes headers by the version the server picks', () => {
    const { port, hear } = openSession()
    // A CONNECTED without a version is one of 1.0, which has no escapes.
    hear(connected('session:x'))
    assert.match(String(port.sent[1]), /destination:\/topic\/a:b\n/)
  })

  test('hands over bodies, also before it is ready, and tells redelivered ones apart', () => {
    const { port, hear } = openSession()
    hear(connected('version:1.2') + message('early') + RECEIPTS)
    hear(message('a\0b') + message('again', 'redelivered:true'), true)
    assert.deepEqual(port.payloads, ['early', 'a\0b', 'again'])
    assert.deepEqual(
      port.marks.map(({ isRedelivery, isRetained }) => [isRedelivery, isRetained]),
      [
        [false, false],
        [false, false],
        [true, false],
      ],
    )
  })

  test('beats when the server wants beats, and only then', () => {
    const heartbeats = (...headers: string[]) => {
      const { session, port, hear } = openSession()
      session.heartbeat?.(port)
      hear(connected('version:1.2', ...headers))
      session.heartbeat?.(port)
      return port.sent.filter((text) => text === '\n').length
    }
    assert.equal(heartbeats('heart-beat:1000,1000'), 1)
    assert.equal(heartbeats('heart-beat:1000,0'), 0)
    assert.equal(heartbeats(), 0)
    assert.equal(createStomp(settings).heartbeatMs, 5_000)
    assert.equal(createStomp({ ...settings, protocolKeepAliveS: 0 }).heartbeatMs, undefined)
  })

  test('counts line ends of their own as heart-beats, and not those behind a frame', () => {
    const { port, hear } = openSession()
    hear(connected('version:1.2') + RECEIPTS)
    hear('\n')
    hear(message('x'))
    hear('\r\n')
    // The middle of a frame is no heart-beat, even when it is a line end.
    const [head, tail] = message('x').split('\n\n') as [string, string]
    hear(head)
    hear('\n')
    hear(`\n${tail}`)
    assert.deepEqual(port.counted.slice(3), ['heartbeat', 'heartbeat'])
    assert.deepEqual(port.payloads, ['x', 'x'])
  })

  test('says goodbye once it has logged in', () => {
    const { session, port, hear } = openSession()
    session.closing?.(port)
    assert.equal(port.sent.length, 1)
    hear(connected('version:1.2'))
    session.closing?.(port)
    assert.equal(port.sent.at(-1), 'DISCONNECT\n\n\0')
  })

  test('is refused by an ERROR, in the words of the server', () => {
    const { port, hear } = openSession()
    hear("ERROR\nmessage:Bad CONNECT\ncontent-type:text/plain\ncontent-length:32\n\nAccess refused for user 'guest'\n\0\n")
    assert.deepEqual(port.refusals, ["the target sent an ERROR: Bad CONNECT: Access refused for user 'guest'"])
    hear(connected('version:1.2'))
    assert.equal(port.sent.length, 1)
  })

  test('is ended by an ERROR once it is ready', () => {
    const { port, hear } = openSession()
    hear(connected('version:1.2') + RECEIPTS)
    hear('ERROR\nmessage:not\\callowed\n\n\0')
    assert.deepEqual(port.endings, ['the target sent an ERROR: not:allowed'])
    assert.equal(port.counted.at(-1), 'error')
  })

  test('takes a close in place of an answer for a refusal', () => {
    const { session, hear } = openSession()
    assert.equal(session.refusal?.('close 1002: x'), 'CONNECT was answered with close 1002: x')
    hear(connected('version:1.2'))
    assert.equal(session.refusal?.('close 1000: STOMP died'), 'SUBSCRIBE was answered with close 1000: STOMP died')
  })

  for (const [what, more, text, failure] of [
    ['a MESSAGE before CONNECTED', {}, message('x'), 'the target sent a frame that was not due ("MESSAGE" while connecting)'],
    ['a command that servers do not have', {}, 'SEND\n\n\0', 'the target sent a frame that was not due ("SEND" while connecting)'],
    ['a version that was not offered', { stompVersion: '1.2' }, connected('version:1.1'), 'the target speaks STOMP "1.1", not 1.2'],
    ['a receipt for nothing', {}, connected('version:1.2') + receipt('x'), 'the target sent a RECEIPT that was not due ("x")'],
    [
      'a receipt that comes twice',
      {},
      connected('version:1.2') + receipt('subscription-0') + receipt('subscription-0'),
      'the target sent a RECEIPT that was not due ("subscription-0")',
    ],
    ['bytes that are not STOMP', {}, '{"success":true}', 'the target sent what is not a STOMP frame'],
  ] as const) {
    test(`fails for ${what}, once`, () => {
      const { port, hear } = openSession(more)
      hear(text)
      hear(text)
      assert.deepEqual(port.failures, [failure])
      assert.deepEqual([port.payloads, port.readyCalls], [[], 0])
    })
  }
})

describe('the handshake of STOMP', () => {
  const subprotocols = (stompVersion: StompSettings['stompVersion']) =>
    createStomp({ ...settings, stompVersion }).handshake('ws://127.0.0.1:15674/ws', identity).subprotocols

  test('offers the versions, the newest first', () => {
    assert.deepEqual(subprotocols('any'), ['v12.stomp', 'v11.stomp', 'v10.stomp'])
    assert.deepEqual(subprotocols('1.1'), ['v11.stomp'])
  })

  test('refuses a stream that no header can carry', () => {
    const streams = ['/topic/a\nreceipt:x']
    assert.throws(
      () => createStomp(settings).handshake('ws://127.0.0.1/ws', { ...identity, streams }),
      (error: FanfareError) => error instanceof FanfareError && error.code === 'settings-invalid' && error.message.includes('STREAM'),
    )
  })
})
