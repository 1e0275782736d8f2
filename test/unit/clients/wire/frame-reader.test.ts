import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import * as ws from 'ws'
import { MAX_FRAGMENTS } from '../../../../src/clients/engine.ts'
import { FrameReader, type FrameSink } from '../../../../src/clients/wire/frame-reader.ts'
import { BINARY, CLOSE, CONTINUATION, closeFrame, frame, PING, PONG, TEXT } from '../../../doubles/raw-target.ts'

const LIMIT_BYTES = 70_000
/** `FUZZ_RUNS=100000 npm run test:unit` looks longer than CI does. */
const FUZZ_RUNS = Number(process.env.FUZZ_RUNS ?? 500)

/** Everything a reader tells, as lines that compare. */
class Transcript implements FrameSink {
  readonly lines: string[] = []
  #goodbye: { readonly closeCode: number; readonly reason: Uint8Array } | undefined

  message(_slot: number, data: Uint8Array, start: number, end: number, isBinary: boolean): void {
    this.lines.push(`${isBinary ? 'binary' : 'text'} ${hex(data.subarray(start, end))}`)
  }

  ping(_slot: number, data: Uint8Array, start: number, end: number): void {
    this.lines.push(`ping ${hex(data.subarray(start, end))}`)
  }

  pong(): void {
    this.lines.push('pong')
  }

  closeFrame(_slot: number, closeCode: number, reason: Uint8Array): void {
    this.#goodbye = { closeCode, reason }
  }

  /** What was said in a close frame is asked for when the connection has ended, long after the read buffer holds other bytes. */
  end(): void {
    if (this.#goodbye !== undefined) this.lines.push(`close ${this.#goodbye.closeCode} ${hex(this.#goodbye.reason)}`)
  }

  fault(_slot: number, code: string): void {
    this.lines.push(code)
  }
}

const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex')

/** Reads `bytes` in pieces that end at `cuts`. */
function read(bytes: Uint8Array, cuts: readonly number[] = []): string[] {
  const transcript = new Transcript()
  const reader = new FrameReader(transcript, 0, LIMIT_BYTES)
  let from = 0
  for (const cut of [...cuts, bytes.length]) {
    // A new array each time, as other bytes overwrite the read buffer in between.
    const piece = Buffer.concat([Buffer.from('~'), bytes.subarray(from, cut), Buffer.from('~')])
    reader.read(piece, 1, piece.length - 1, 0)
    piece.fill(0xee)
    from = cut
  }
  transcript.end()
  return transcript.lines
}

/** What the library behind ENGINE=ws makes of the same bytes. */
async function readByWs(bytes: Uint8Array): Promise<string[]> {
  const lines: string[] = []
  const Receiver = (ws as unknown as { Receiver: new (options: object) => NodeJS.WritableStream }).Receiver
  const receiver = new Receiver({ isServer: false, maxPayload: LIMIT_BYTES, maxFragments: MAX_FRAGMENTS, skipUTF8Validation: true })
  receiver.on('message', (data: Buffer, isBinary: boolean) => lines.push(`${isBinary ? 'binary' : 'text'} ${hex(data)}`))
  receiver.on('ping', (data: Buffer) => lines.push(`ping ${hex(data)}`))
  receiver.on('pong', () => lines.push('pong'))
  receiver.on('conclude', (code: number, reason: Buffer) => lines.push(`close ${code} ${hex(reason)}`))
  receiver.on('error', (error: Error & { code?: string }) => {
    lines.push(/LENGTH$/.test(error.code ?? '') && !/CONTROL/.test(error.code ?? '') ? 'frame-too-big' : 'protocol-error')
  })
  receiver.write(bytes)
  await new Promise((resolve) => setImmediate(resolve))
  return lines
}

const payload = fc.oneof(
  { weight: 8, arbitrary: fc.uint8Array({ maxLength: 300 }) },
  {
    weight: 1,
    arbitrary: fc
      .constantFrom(0, 125, 126, 127, 65_535, 65_536, LIMIT_BYTES, LIMIT_BYTES + 1)
      .map((length) => new Uint8Array(length).fill(0x7a)),
  },
)
const lengthBytes = fc.constantFrom(undefined, undefined, undefined, 8 as const)
const shape = (fin: boolean) => lengthBytes.map((bytes) => ({ fin, ...(bytes !== undefined && { lengthBytes: bytes }) }))
const control = fc.tuple(fc.constantFrom(PING, PONG), fc.uint8Array({ maxLength: 125 })).map(([opcode, body]) => frame(opcode, body))
const whole = fc.tuple(fc.constantFrom(TEXT, BINARY), payload, shape(true)).map(([opcode, body, more]) => frame(opcode, body, more))
const fragmented = fc
  .tuple(
    fc.constantFrom(TEXT, BINARY),
    payload,
    fc.array(
      fc.oneof(
        control,
        payload.map((body) => frame(CONTINUATION, body, { fin: false })),
      ),
      { maxLength: 4 },
    ),
    payload,
  )
  .map(([opcode, first, middle, last]) => Buffer.concat([frame(opcode, first, { fin: false }), ...middle, frame(CONTINUATION, last)]))
const goodbye = fc.oneof(
  fc.constant(frame(CLOSE)),
  fc.tuple(fc.integer({ min: 990, max: 5_010 }), fc.string({ maxLength: 20 })).map(([code, reason]) => closeFrame(code, reason)),
)
const faulty = fc
  .tuple(
    fc.integer({ min: 0, max: 15 }),
    fc.uint8Array({ maxLength: 130 }),
    fc.record({ fin: fc.boolean(), masked: fc.boolean(), reserved: fc.integer({ min: 0, max: 7 }) }),
  )
  .map(([opcode, body, more]) => frame(opcode, body, more))
/** Mostly what a target may send, sometimes not, and sometimes just bytes. */
const traffic = fc
  .array(
    fc.oneof(
      { weight: 12, arbitrary: whole },
      { weight: 4, arbitrary: fragmented },
      { weight: 4, arbitrary: control },
      { weight: 1, arbitrary: goodbye },
      { weight: 1, arbitrary: faulty },
      { weight: 1, arbitrary: fc.uint8Array({ maxLength: 40 }) },
    ),
    { maxLength: 12 },
  )
  .map((parts) => Buffer.concat(parts))

describe('the frame reader', () => {
  it('hears the same however reads cut the bytes', () => {
    fc.assert(
      fc.property(traffic, fc.array(fc.nat()), (bytes, positions) => {
        const cuts = positions.map((position) => position % (bytes.length + 1)).sort((a, b) => a - b)
        assert.deepEqual(read(bytes, cuts), read(bytes))
      }),
      { numRuns: FUZZ_RUNS },
    )
  })

  it('hears the same when every single byte comes alone, and when cut once at any position', () => {
    const bytes = Buffer.concat([
      frame(TEXT, 'one'),
      frame(BINARY, Buffer.alloc(126, 1)),
      frame(TEXT, 'a', { fin: false }),
      frame(PING, 'hello'),
      frame(CONTINUATION, Buffer.alloc(200, 2), { fin: false }),
      frame(CONTINUATION, 'z', { lengthBytes: 8 }),
      frame(PONG),
      frame(TEXT, ''),
      closeFrame(1000, 'bye'),
      frame(TEXT, 'after'),
    ])
    const expected = read(bytes)
    assert.equal(expected.length, 7)
    const everyByte = Array.from({ length: bytes.length }, (_, index) => index)
    assert.deepEqual(read(bytes, everyByte), expected)
    for (const cut of everyByte) assert.deepEqual(read(bytes, [cut]), expected)
  })

  it('hears what the ws library hears, faults included', async () => {
    await fc.assert(
      fc.asyncProperty(traffic, async (bytes) => {
        assert.deepEqual(read(bytes), await readByWs(bytes))
      }),
      { numRuns: FUZZ_RUNS },
    )
  })

  it('never throws and ends at the first fault, whatever the bytes are', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 400 }), fc.array(fc.nat(400)), (bytes, positions) => {
        const lines = read(
          bytes,
          positions.map((position) => Math.min(position, bytes.length)).sort((a, b) => a - b),
        )
        const fault = lines.findIndex((line) => line === 'protocol-error' || line === 'frame-too-big')
        assert.ok(fault === -1 || fault === lines.length - 1)
      }),
    )
  })

  it('takes no room for what a header only claims', () => {
    const transcript = new Transcript()
    const reader = new FrameReader(transcript, 0, 1_000_000_000)
    const before = process.memoryUsage().arrayBuffers
    const claims = Buffer.from([0x82, 127, 0, 0, 0, 0, 0x3b, 0x9a, 0xca, 0x00, 1, 2, 3])
    reader.read(claims, 0, claims.length, 0)
    assert.ok(process.memoryUsage().arrayBuffers - before < 100_000)
    assert.deepEqual(transcript.lines, [])
  })

  it('reads nothing after it was stopped in the middle of a read', () => {
    const heard: string[] = []
    const stopping: FrameSink = Object.assign(new Transcript(), {
      message: (_slot: number, data: Uint8Array, start: number, end: number) => {
        heard.push(Buffer.from(data.subarray(start, end)).toString())
        reader.stop()
      },
    })
    const reader: FrameReader = new FrameReader(stopping, 0, LIMIT_BYTES)
    const bytes = Buffer.concat([frame(TEXT, 'one'), frame(TEXT, 'two')])
    reader.read(bytes, 0, bytes.length, 0)
    reader.read(bytes, 0, bytes.length, 0)
    assert.deepEqual(heard, ['one'])
  })
})
