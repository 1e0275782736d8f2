import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { offeredSubprotocols, requestHeaders } from '../../../src/protocols/request-headers.ts'

const none = { wsHeaders: [], wsToken: undefined, wsSubprotocol: undefined }

describe('handshake headers', () => {
  it('come from WS_HEADERS, later entries replacing earlier ones in any case', () => {
    const headers = requestHeaders({ ...none, wsHeaders: ['X-A: 1', 'Cookie: a=b: c', 'x-a:2'] })
    assert.deepEqual(headers, { 'x-a': '2', Cookie: 'a=b: c' })
  })

  it('prefer the token to an Authorization entry and that to a login of the URL', () => {
    assert.deepEqual(requestHeaders(none, 'Basic x'), { Authorization: 'Basic x' })
    assert.deepEqual(requestHeaders({ ...none, wsHeaders: ['authorization: y'] }, 'Basic x'), { authorization: 'y' })
    assert.deepEqual(requestHeaders({ ...none, wsHeaders: ['authorization: y'], wsToken: 'z' }, 'Basic x'), { Authorization: 'Bearer z' })
  })

  // entry, why it is refused
  const refused: [entry: string, why: string][] = [
    ['no colon s3cret', 'no name'],
    [': s3cret', 'empty name'],
    ['Bad Name: s3cret', 'space in the name'],
    ['X: s3cret\r\nY: 1', 'a header smuggled in by a line break'],
    ['Sec-WebSocket-Key: s3cret', 'the engine writes it'],
    ['upgrade: s3cret', 'the engine writes it'],
    ['Content-Length: 5', 'the request has no body'],
  ]
  for (const [entry, why] of refused) {
    it(`refuses an entry without showing its value (${why})`, () => {
      assert.throws(
        () => requestHeaders({ ...none, wsHeaders: [entry] }),
        (error: Error & { code?: string }) => error.code === 'settings-invalid' && !error.message.includes('s3cret'),
      )
    })
  }

  it('refuse a token with a line break', () => {
    assert.throws(() => requestHeaders({ ...none, wsToken: 'a\nb' }), { code: 'settings-invalid' })
  })
})

describe('offered subprotocols', () => {
  it('are those of the dialect unless WS_SUBPROTOCOL names others', () => {
    assert.deepEqual(offeredSubprotocols(none, ['mqtt']), ['mqtt'])
    assert.deepEqual(offeredSubprotocols({ ...none, wsSubprotocol: 'a, b' }, ['mqtt']), ['a', 'b'])
  })

  it('must be different names', () => {
    for (const wsSubprotocol of ['a,a', 'a b', 'a,', '']) {
      assert.throws(() => offeredSubprotocols({ ...none, wsSubprotocol }, []), { code: 'settings-invalid' }, wsSubprotocol)
    }
  })
})
