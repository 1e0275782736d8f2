import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { closePayload, FrameWriter } from '../../../../src/clients/wire/frame-writer.ts'
import { RandomPool } from '../../../../src/clients/wire/random-pool.ts'
import { CLOSE, readClientFrames, TEXT } from '../../../doubles/raw-target.ts'

describe('the frame writer', () => {
  it('masks every frame with a mask of its own and leaves the payload alone', () => {
    const writer = new FrameWriter(new RandomPool())
    const payload = Buffer.from('hello, target')
    const frames = Array.from({ length: 3_000 }, () => writer.frame(TEXT, payload))
    assert.equal(payload.toString(), 'hello, target')
    for (const bytes of frames) assert.deepEqual(readClientFrames(bytes), [{ opcode: TEXT, isMasked: true, payload }])
    assert.ok(new Set(frames.map((bytes) => bytes.readUInt32BE(2))).size > 2_900)
  })

  it('writes the close code in network order', () => {
    assert.deepEqual(
      readClientFrames(new FrameWriter(new RandomPool()).frame(CLOSE, closePayload(1_002)))[0]?.payload,
      Buffer.from([0x03, 0xea]),
    )
  })
})
