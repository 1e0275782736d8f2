import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { type InboundHandler, readInbound, type Sender } from '../../../src/target/inbound.ts'

class Recorder implements InboundHandler<Sender> {
  readonly heard: string[] = []
  message(_sender: Sender, payload: Buffer): void {
    this.heard.push(`message ${payload}`)
  }
  ping(_sender: Sender, payload: Buffer): void {
    this.heard.push(`ping ${payload}`)
  }
  pong(_sender: Sender, payload: Buffer): void {
    this.heard.push(`pong ${payload}`)
  }
  close(_sender: Sender, code: number | undefined): void {
    this.heard.push(`close ${code}`)
  }
  fault(_sender: Sender, code: number): void {
    this.heard.push(`fault ${code}`)
  }
}

const newSender = (): Sender => ({ partialFrame: undefined, fragments: undefined })

function masked(firstByte: number, text: string): Buffer {
  const mask = Buffer.from([1, 2, 3, 4])
  const payload = Buffer.from(text).map((byte, index) => byte ^ (mask[index % 4] ?? 0))
  const length = payload.length < 126 ? [0x80 | payload.length] : [0x80 | 126, payload.length >> 8, payload.length & 0xff]
  return Buffer.concat([Buffer.from([firstByte, ...length]), mask, payload])
}

const conversation = Buffer.concat([
  masked(0x81, 'hello'),
  masked(0x01, 'frag'),
  masked(0x89, 'now'),
  masked(0x80, 'ment'),
  masked(0x82, 'x'.repeat(512)),
  masked(0x8a, ''),
  masked(0x88, '\u0003\u00e8'),
  masked(0x81, 'after the close'),
])

test('frames are read alike wherever the reads cut them', () => {
  const whole = new Recorder()
  readInbound(newSender(), conversation, whole)
  assert.deepEqual(whole.heard.slice(0, 3), ['message hello', 'ping now', 'message fragment'])
  assert.match(whole.heard.at(-1) ?? '', /^close/)
  for (let cut = 1; cut < conversation.length; cut += 1) {
    const halves = new Recorder()
    const sender = newSender()
    readInbound(sender, conversation.subarray(0, cut), halves)
    if (!halves.heard.some((line) => line.startsWith('close'))) readInbound(sender, conversation.subarray(cut), halves)
    assert.deepEqual(halves.heard, whole.heard, `cut at ${cut}`)
  }
})

test('hostile bytes end in at most one fault and never throw', () => {
  fc.assert(
    fc.property(fc.array(fc.uint8Array({ maxLength: 700 }), { maxLength: 5 }), (chunks) => {
      const recorder = new Recorder()
      const sender = newSender()
      for (const chunk of chunks) {
        if (recorder.heard.some((line) => /^(fault|close)/.test(line))) break
        readInbound(sender, Buffer.from(chunk), recorder)
        assert.ok((sender.partialFrame?.length ?? 0) < 1_000)
      }
      assert.ok(recorder.heard.filter((line) => line.startsWith('fault')).length <= 1)
    }),
  )
})
