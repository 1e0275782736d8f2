import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { ByteWindow } from '../../../src/protocols/byte-window.ts'
import { arbitraryCuts, readInPieces } from '../../fixtures/pieces.ts'

test('a message without a rest is looked at where it lies', () => {
  const window = new ByteWindow()
  const message = Buffer.from('..abc..')
  window.push(message, 2, 5)
  assert.equal(window.data, message)
  assert.deepEqual([window.at, window.end], [2, 5])
  window.at = 5
  window.keep()
  assert.equal(window.hasRest, false)
})

test('whatever is left unread comes back in order, in front of the next message', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 300 }), arbitraryCuts, fc.integer({ min: 1, max: 17 }), (bytes, cuts, packetBytes) => {
      const window = new ByteWindow()
      const read: number[] = []
      readInPieces(bytes, cuts, (data, start, end) => {
        window.push(data, start, end)
        while (window.end - window.at >= packetBytes) {
          read.push(...window.data.subarray(window.at, window.at + packetBytes))
          window.at += packetBytes
        }
        window.keep()
      })
      assert.deepEqual(read, [...bytes.subarray(0, bytes.length - (bytes.length % packetBytes))])
      assert.equal(window.hasRest, bytes.length % packetBytes > 0)
    }),
  )
})
