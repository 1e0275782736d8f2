import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { createPlain } from '../../../src/protocols/plain.ts'
import { RecordingPort } from '../../doubles/recording-port.ts'

const settings = { wsHeaders: [], wsToken: undefined, wsSubprotocol: undefined, plainReady: undefined }
const identity = { client: 0, replica: 0, runId: 'k3v9q2x1', streams: ['news'] }

function hear(plainReady: string | undefined, ...frames: string[]): RecordingPort {
  const port = new RecordingPort()
  const session = createPlain({ ...settings, plainReady }).session(identity)
  session.opened(port)
  for (const frame of frames) session.frame(Buffer.from(frame), 0, Buffer.byteLength(frame), true, port)
  return port
}

describe('the plain dialect', () => {
  it('is ready on open unless a pattern is set', () => {
    assert.equal(createPlain(settings).isReadyOnOpen, true)
    assert.equal(createPlain({ ...settings, plainReady: 'hi' }).isReadyOnOpen, false)
  })

  it('is ready on the first frame that matches', () => {
    const port = hear('^welcome \\d+$', 'hello', 'welcome 5')
    assert.equal(port.readyCalls, 1)
    assert.deepEqual(port.counted, ['other', 'ack'])
  })

  it('counts frames without a probe and says nothing', () => {
    const port = hear(undefined, 'ping', '{"success":1}')
    assert.deepEqual(port.counted, ['other', 'other'])
    assert.deepEqual(port.sent, [])
  })

  it('takes the request line as written', () => {
    assert.equal(createPlain(settings).handshake('ws://h/a%2Cb?x={y}', identity).requestTarget, '/a%2Cb?x={y}')
  })

  it('refuses a pattern that is none', () => {
    assert.throws(() => createPlain({ ...settings, plainReady: '(' }), { code: 'settings-invalid' })
  })

  it('never throws, whatever the bytes are', () => {
    const session = createPlain({ ...settings, plainReady: 'é$' }).session(identity)
    fc.assert(
      fc.property(fc.uint8Array(), (bytes) => {
        session.frame(bytes, 0, bytes.length, false, new RecordingPort())
      }),
    )
  })
})
