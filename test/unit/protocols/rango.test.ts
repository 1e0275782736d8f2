import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { createRango, type RangoSettings } from '../../../src/protocols/rango.ts'
import { subscribeFrames } from '../../../src/protocols/rango-frames.ts'
import { RecordingPort } from '../../doubles/recording-port.ts'

const settings: RangoSettings = { wsHeaders: [], wsToken: undefined, wsSubprotocol: undefined, rangoSubscribe: 'url' }
const identity = (...streams: string[]) => ({ client: 0, replica: 0, runId: 'k3v9q2x1', streams })

/** Hands `frames` to the session of a client of `streams`, surrounded by bytes that are not the frame's. */
function hear(streams: string[], frames: (string | Uint8Array)[], more: Partial<RangoSettings> = {}, isBinary = false): RecordingPort {
  const port = new RecordingPort()
  const session = createRango({ ...settings, ...more }).session(identity(...streams))
  for (const frame of frames) {
    const padded = Buffer.concat([Buffer.from('{"'), Buffer.from(frame), Buffer.from('"}')])
    session.frame(padded, 2, padded.length - 2, isBinary, port)
  }
  return port
}

describe('the rango handshake', () => {
  const requestTarget = (target: string, streams: string[], more: Partial<RangoSettings> = {}) =>
    createRango({ ...settings, ...more }).handshake(target, identity(...streams)).requestTarget

  // target, streams, request line: the raw text survives, commas are literal
  const rows: [target: string, streams: string[], expected: string][] = [
    ['ws://localhost:8080/', ['public.a'], '/?stream=public.a'],
    ['ws://localhost:8080', ['public.a'], '/?stream=public.a'],
    ['ws://localhost:8080/public', ['public.a', 'global.b'], '/public?stream=public.a,global.b'],
    // a query that is there is kept as it was written
    ['ws://h/x?stream=global.tickers&cancel_on_close=true', ['public.a'], '/x?stream=global.tickers&cancel_on_close=true&stream=public.a'],
    ['ws://h?stream=a,b', ['public.a'], '/?stream=a,b&stream=public.a'],
    ['ws://h/?', ['public.a'], '/?stream=public.a'],
    ['ws://h/?x=1&', ['public.a'], '/?x=1&stream=public.a'],
    // what a URL object would rewrite
    ['ws://h/a/../b/%7E|', ['public.a'], '/a/../b/%7E|?stream=public.a'],
    // a fragment never leaves the client
    ['ws://h/p#part', ['public.a'], '/p?stream=public.a'],
    // what cannot stand on a request line is encoded
    ['ws://h/ä b', ['public.a'], '/%C3%A4%20b?stream=public.a'],
  ]
  for (const [target, streams, expected] of rows) {
    it(`asks ${target} for ${expected}`, () => {
      assert.equal(requestTarget(target, streams), expected)
    })
  }

  it('leaves the request line alone when clients subscribe by frames', () => {
    assert.equal(requestTarget('ws://h/x?y=1', ['public.a'], { rangoSubscribe: 'frames' }), '/x?y=1')
  })

  it('refuses a stream the raw URL cannot carry', () => {
    for (const stream of ['a,b', 'a&b', 'a?b', 'a=b', 'a b', 'a#b', 'a%2Cb', 'ä']) {
      assert.throws(() => requestTarget('ws://h/', [stream]), { code: 'settings-invalid' }, stream)
    }
  })

  it('sends the bearer token, and a login of the URL only as a header', () => {
    const withToken = createRango({ ...settings, wsToken: 'abc.def' }).handshake('ws://u:p%40@h/', identity('public.a'))
    assert.deepEqual(withToken.headers, { Authorization: 'Bearer abc.def' })
    const withLogin = createRango(settings).handshake('ws://u:p%40@h/', identity('public.a'))
    assert.deepEqual(withLogin.headers, { Authorization: `Basic ${Buffer.from('u:p@').toString('base64')}` })
    assert.equal(withLogin.url.href, 'ws://h/')
  })
})

describe('rango subscribe frames', () => {
  it('stay below 512 bytes each and name every stream once, in order', () => {
    fc.assert(
      fc.property(fc.array(fc.string({ minLength: 1, maxLength: 100, unit: 'grapheme' })), (streams) => {
        const sendable = streams.filter((stream) => Buffer.byteLength(JSON.stringify(stream)) < 400)
        const frames = subscribeFrames(sendable)
        assert.ok(frames.every((frame) => Buffer.byteLength(frame) < 512))
        const parsed = frames.map((frame) => JSON.parse(frame) as { event: string; streams: string[] })
        assert.ok(parsed.every(({ event }) => event === 'subscribe'))
        assert.deepEqual(
          parsed.flatMap((frame) => frame.streams),
          sendable,
        )
      }),
    )
  })

  it('are sent on open, and not when the URL subscribes', () => {
    const streams = Array.from({ length: 40 }, (_, index) => `public.stream-${index}`)
    const port = new RecordingPort()
    createRango({ ...settings, rangoSubscribe: 'frames' })
      .session(identity(...streams))
      .opened(port)
    assert.ok(port.sent.length > 1)
    const quiet = new RecordingPort()
    createRango(settings)
      .session(identity(...streams))
      .opened(quiet)
    assert.deepEqual(quiet.sent, [])
  })

  it('refuse a stream that fits no frame', () => {
    assert.throws(() => subscribeFrames(['é'.repeat(250)]), { code: 'settings-invalid' })
  })
})

describe('a rango session', () => {
  const ack = (...streams: string[]) => JSON.stringify({ success: { message: 'subscribed', streams } })

  it('is ready when an acknowledgement lists all own streams', () => {
    assert.equal(hear(['public.a', 'public.b'], [ack('public.b', 'x.y', 'public.a')]).readyCalls, 1)
  })

  it('is not ready on an acknowledgement without them', () => {
    const port = hear(
      ['public.a', 'public.b'],
      [ack(), ack('public.a'), '{"success":{"message":"unsubscribed","streams":["public.a","public.b"]}}'],
    )
    assert.equal(port.readyCalls, 0)
    assert.deepEqual(port.counted, ['ack', 'ack', 'ack'])
  })

  it('takes the refusal of an own stream for the end, and that of another for an error frame', () => {
    const refusal = (stream: string) => JSON.stringify({ success: { message: `cannot subscribe to ${stream}` } })
    const port = hear(['admin.m.e'], [refusal('other.m.e'), refusal('admin.m.e')])
    assert.deepEqual(port.refusals, ['cannot subscribe to admin.m.e'])
    assert.deepEqual(port.counted, ['error', 'error'])
  })

  it('takes an error for a refusal only when it has sent subscribe frames', () => {
    const frame = '{"error":"unexpected event"}'
    assert.deepEqual(hear(['public.a'], [frame]).refusals, [])
    assert.deepEqual(hear(['public.a'], [frame], { rangoSubscribe: 'frames' }).refusals, ['unexpected event'])
  })

  it('answers a text ping', () => {
    const port = hear(['public.a'], ['ping', 'pong'])
    assert.deepEqual(port.sent, ['pong'])
    assert.deepEqual(port.counted, ['heartbeat', 'pong'])
  })

  // frame, what it counts as
  const kinds: [frame: string, kind: string][] = [
    ['{"public.a":{"cmd":"Test"}}', 'other'],
    ['{"global.tickers":{}}', 'other-stream'],
    [' \n{ "global.tickers" : 1}', 'other-stream'],
    ['{"public\\u002ea":1}', 'other'],
    ['{"btcusd.ob-snap":{}}', 'snapshot'],
    ['{"btcusd.ob-inc":{}}', 'snapshot'],
    ['{"error":5}', 'other'],
    ['{"success":"yes"}', 'other'],
    ['{"success":{"message":5}}', 'other'],
    ['{"success":', 'other'],
    ['{', 'other'],
    ['{"unfinished', 'other'],
    ['{"bad \\q escape":1}', 'other'],
    ['[]', 'other'],
    ['', 'other'],
  ]
  for (const [frame, kind] of kinds) {
    it(`counts ${JSON.stringify(frame)} as ${kind}`, () => {
      const port = hear(['public.a'], [frame])
      assert.deepEqual(port.counted, [kind])
      assert.equal(port.readyCalls, 0)
    })
  }

  it('is shared by clients with the same streams', () => {
    const protocol = createRango(settings)
    assert.equal(protocol.session(identity('public.a')), protocol.session({ ...identity('public.a'), client: 7 }))
    assert.notEqual(protocol.session(identity('public.a')), protocol.session(identity('public.b')))
  })

  it('never throws and counts each frame once, whatever the bytes are', () => {
    const pieces = fc.constantFrom(
      '{"success":',
      '{"error":',
      '{"',
      '\\u00',
      '"',
      ack('public.a'),
      '[[[[',
      '\ud800',
      '{"message":"subscribed","streams":',
    )
    const hostile = fc.oneof(
      fc.uint8Array({ maxLength: 200 }),
      fc.array(pieces, { maxLength: 6 }).map((parts) => new Uint8Array(Buffer.from(parts.join('')))),
    )
    fc.assert(
      fc.property(hostile, fc.boolean(), (bytes, isBinary) => {
        assert.equal(hear(['public.a'], [bytes], { rangoSubscribe: 'frames' }, isBinary).counted.length, 1)
      }),
    )
  })

  it('survives nesting that a JSON parser does not', () => {
    assert.deepEqual(hear(['public.a'], [`{"error":${'['.repeat(200_000)}`]).counted, ['other'])
  })
})
