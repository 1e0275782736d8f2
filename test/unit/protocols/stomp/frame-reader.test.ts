import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type IRawFrameType, Parser } from '@stomp/stompjs'
import fc from 'fast-check'
import { FrameReader } from '../../../../src/protocols/stomp/frame-reader.ts'
import { arbitraryCuts, readBytewise, readInPieces } from '../../../fixtures/pieces.ts'

const LIMIT_BYTES = 10_000

interface Frame {
  readonly command: string
  readonly headers: readonly (readonly [name: string, value: string])[]
  readonly body: string
}

/** The frames as they are read, and the fault if there is one. */
function read(bytes: Uint8Array, cuts: readonly number[] | 'bytewise', limitBytes = LIMIT_BYTES) {
  const reader = new FrameReader(limitBytes)
  const frames: { command: string; isMessage: boolean; isRedelivery: boolean; destination: string | undefined; body: string }[] = []
  const push = (data: Uint8Array, start: number, end: number) => {
    reader.push(data, start, end)
    while (reader.next()) {
      frames.push({
        command: reader.command,
        isMessage: reader.isMessage,
        isRedelivery: reader.isRedelivery,
        destination: reader.header('destination'),
        body: Buffer.from(reader.data.subarray(reader.bodyStart, reader.bodyEnd)).toString('latin1'),
      })
    }
  }
  if (cuts === 'bytewise') readBytewise(bytes, push)
  else readInPieces(bytes, cuts, push)
  return { frames, fault: reader.fault }
}

/** A frame as a server writes it; `eol` also stands behind it, as RabbitMQ does it. */
function written({ command, headers, body }: Frame, { eol, hasLength }: { eol: string; hasLength: boolean }): Buffer {
  const lines = [...headers.map(([name, value]) => `${name}:${value}`), ...(hasLength ? [`content-length:${body.length}`] : [])]
  return Buffer.concat([
    Buffer.from(`${command}${eol}${lines.map((line) => line + eol).join('')}${eol}`),
    Buffer.from(body, 'latin1'),
    Buffer.from(`\0${eol}`),
  ])
}

const headerText = fc.string({ unit: fc.constantFrom('a', 'b', '/', '.', '-', ' ', '\\c', 'é', '0'), minLength: 1, maxLength: 12 })
const arbitraryFrame = fc
  .record({
    command: fc.constantFrom('MESSAGE', 'RECEIPT', 'ERROR', 'CONNECTED'),
    headers: fc.array(fc.tuple(fc.constantFrom('destination', 'x-a', 'message-id'), headerText), { maxLength: 4 }),
    body: fc.string({ unit: fc.integer({ min: 0, max: 255 }).map((code) => String.fromCharCode(code)), maxLength: 40 }),
    eol: fc.constantFrom('\n', '\r\n'),
    hasLength: fc.boolean(),
  })
  .map(({ body, ...rest }) => ({ ...rest, body: rest.hasLength ? body : body.replaceAll('\0', '') }))

test('frames are read one by one, whatever the WebSocket messages they come in', () => {
  fc.assert(
    fc.property(fc.array(arbitraryFrame, { maxLength: 5 }), arbitraryCuts, (frames, cuts) => {
      const bytes = Buffer.concat(frames.map((frame) => written(frame, frame)))
      const expected = frames.map(({ command, headers, body }) => ({
        command,
        isMessage: command === 'MESSAGE',
        isRedelivery: false,
        destination: headers.find(([name]) => name === 'destination')?.[1],
        body,
      }))
      assert.deepEqual(read(bytes, cuts), { frames: expected, fault: undefined })
      assert.deepEqual(read(bytes, 'bytewise'), { frames: expected, fault: undefined })
    }),
  )
})

/** No carriage returns: stompjs drops them wherever they stand. */
const arbitraryByte = fc.nat(255).filter((byte) => byte !== 0x0d)

test('stompjs reads the same frames, until one of the two gives up', () => {
  fc.assert(
    fc.property(fc.array(arbitraryFrame, { maxLength: 4 }), fc.option(fc.tuple(fc.nat(), arbitraryByte)), (frames, change) => {
      const bytes = Buffer.concat(frames.map((frame) => written(frame, { ...frame, eol: '\n' })))
      if (change !== null && bytes.length > 0) bytes[change[0] % bytes.length] = change[1]
      const ours = read(bytes, []).frames.map(({ command, body }) => [command, body])
      const theirs = readByStompjs(bytes)
      const shared = Math.min(ours.length, theirs.length)
      assert.deepEqual(ours.slice(0, shared), theirs.slice(0, shared))
      if (change === null) assert.equal(ours.length, theirs.length)
    }),
    { numRuns: 500 },
  )
})

function readByStompjs(bytes: Uint8Array): string[][] {
  const frames: IRawFrameType[] = []
  new Parser(
    (frame) => frames.push(frame),
    () => {},
  ).parseChunk(Uint8Array.from(bytes).buffer)
  return frames.map(({ command, binaryBody }) => [String(command), Buffer.from(binaryBody as Uint8Array).toString('latin1')])
}

test('garbage never throws and means the same however it is cut', () => {
  const stompish = fc.string({
    unit: fc.constantFrom('MESSAGE', '\n', '\n\n', '\r\n', '\0', ':', 'content-length:3', 'content-length:x', 'redelivered:true', 'a', 'é'),
    maxLength: 30,
  })
  const garbage = fc.oneof(
    fc.uint8Array({ maxLength: 100 }),
    stompish.map((text) => Buffer.from(text)),
  )
  fc.assert(
    fc.property(garbage, arbitraryCuts, (bytes, cuts) => {
      const whole = read(bytes, [])
      assert.deepEqual(read(bytes, cuts), whole)
      assert.deepEqual(read(bytes, 'bytewise'), whole)
    }),
    { numRuns: 1_000 },
  )
})

test('line ends between frames are no frames', () => {
  const { frames, fault } = read(Buffer.from('\n\r\n\nRECEIPT\n\n\0\n\n\nRECEIPT\n\n\0'), [])
  assert.deepEqual([frames.length, fault], [2, undefined])
})

test('of repeated headers the first counts', () => {
  const { frames } = read(Buffer.from('MESSAGE\ncontent-length:1\ncontent-length:9\nredelivered:true\nredelivered:false\n\nx\0'), [])
  assert.deepEqual([frames[0]?.body, frames[0]?.isRedelivery], ['x', true])
})

test('a server of 1.0 may put spaces around a length', () => {
  assert.equal(read(Buffer.from('MESSAGE\ncontent-length: 3 \n\na\0b\0'), []).frames[0]?.body, 'a\0b')
})

const headers = `x:${'h'.repeat(100)}\n`
for (const [what, text, fault] of [
  ['bytes without a command', 'GET / HTTP/1.1 and so on', 'sent what is not a STOMP frame'],
  ['a length that is not a number', 'MESSAGE\ncontent-length:-1\n\n', 'sent a STOMP frame whose content-length is not a number'],
  [
    'a length that does not lead to a NUL',
    'MESSAGE\ncontent-length:1\n\nab\0',
    'sent a STOMP frame without a NUL after its content-length',
  ],
  ['a NUL among the headers', 'MESSAGE\nx:1\0\n\n', 'sent a STOMP frame that ends within its headers'],
  ['a header without a colon', 'MESSAGE\nx\n\n\0', 'sent a STOMP header without a colon'],
  [
    'a length over the limit, before its body comes',
    'MESSAGE\ncontent-length:10001\n\n',
    'sent a STOMP frame of 10001 bytes, more than MAX_FRAME_BYTES (10000)',
  ],
  ['a body without an end', `MESSAGE\n\n${'x'.repeat(10_001)}`, 'sent a STOMP frame of 10001 bytes, more than MAX_FRAME_BYTES (10000)'],
  ['headers without an end', `MESSAGE\n${headers.repeat(700)}`, 'sent a STOMP frame with more than 65536 bytes of headers'],
] as const) {
  test(`${what} is a fault, and nothing more is read`, () => {
    const reader = new FrameReader(LIMIT_BYTES)
    const bytes = Buffer.from(text)
    reader.push(bytes, 0, bytes.length)
    while (reader.next());
    assert.equal(reader.fault, fault)
    const good = Buffer.from('RECEIPT\n\n\0')
    reader.push(good, 0, good.length)
    assert.equal(reader.next(), false)
  })
}
