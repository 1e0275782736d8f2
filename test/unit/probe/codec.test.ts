import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { TokenReader, writeToken } from '../../../src/probe/codec.ts'
import { MAX_SEQUENCE, MAX_STREAM, type Probe, TOKEN_BYTES } from '../../../src/probe/probe.ts'

const RUN = 'k3v9q2x1'
const BASE36 = [...'0123456789abcdefghijklmnopqrstuvwxyz']
const runs = fc.oneof(
  fc.constant(RUN),
  fc.array(fc.constantFrom(...BASE36), { minLength: 8, maxLength: 8 }).map((letters) => letters.join('')),
)
const times = fc.oneof(
  fc.integer({ min: 0, max: 8_000_000_000_000_000 }),
  fc.integer({ min: 1_700_000_000_000_000, max: 1_900_000_000_000_000 }),
)
const probes: fc.Arbitrary<Probe> = fc.record({
  run: runs,
  stream: fc.integer({ min: 0, max: MAX_STREAM }),
  sequence: fc.integer({ min: 0, max: MAX_SEQUENCE }),
  intendedUs: times,
  sentUs: times,
})

const sample: Probe = { run: RUN, stream: 37, sequence: 1_234_567, intendedUs: 1_760_000_000_123_456, sentUs: 1_760_000_000_123_999 }

/** Every token of `data`, as the receive path walks them. */
function readAll(data: Uint8Array, reader = new TokenReader(RUN)): (Omit<Probe, 'run'> & { isOwnRun: boolean })[] {
  const found = []
  let offset = reader.findToken(data, 0, data.length)
  while (offset >= 0) {
    const { isOwnRun, stream, sequence, intendedUs, sentUs } = reader
    found.push({ isOwnRun, stream, sequence, intendedUs, sentUs })
    offset = reader.findToken(data, offset + TOKEN_BYTES, data.length)
  }
  return found
}

const asRead = ({ run, ...rest }: Probe) => ({ isOwnRun: run === RUN, ...rest })

test('a token is 64 bytes of ASCII in the documented layout', () => {
  const token = writeToken(sample)
  assert.equal(token, '~ff1.k3v9q2x1.0011.0001234567.1760000000123456.1760000000123999~')
  assert.equal(Buffer.byteLength(token), TOKEN_BYTES)
})

test('fractions of a microsecond are rounded into the token', () => {
  assert.equal(writeToken({ ...sample, intendedUs: 1.5, sentUs: 2.4 }), '~ff1.k3v9q2x1.0011.0001234567.0000000000000002.0000000000000002~')
})

test('a value that does not fit its field is a fault that names the field', () => {
  const wrong: [Partial<Probe>, RegExp][] = [
    [{ run: 'K3V9Q2X1' }, /run id/],
    [{ run: 'short' }, /run id/],
    [{ stream: MAX_STREAM + 1 }, /stream index/],
    [{ stream: 0.5 }, /stream index/],
    [{ sequence: -1 }, /sequence/],
    [{ sequence: MAX_SEQUENCE + 1 }, /sequence/],
    [{ intendedUs: Number.NaN }, /intendedUs/],
    [{ sentUs: -2 }, /sentUs/],
    [{ sentUs: Number.MAX_SAFE_INTEGER + 1 }, /sentUs/],
  ]
  for (const [change, text] of wrong) {
    assert.throws(
      () => writeToken({ ...sample, ...change }),
      (error: Error) => text.test(error.message),
    )
  }
})

test('whatever is written is read back, at any offset of any bytes', () => {
  fc.assert(
    fc.property(probes, fc.uint8Array({ maxLength: 200 }), fc.uint8Array({ maxLength: 200 }), (probe, before, after) => {
      const data = Buffer.concat([before, Buffer.from(writeToken(probe)), after])
      assert.deepEqual(readAll(data), [asRead(probe)])
      const reader = new TokenReader(RUN)
      assert.equal(reader.read(data, before.length, data.length), true)
      assert.equal(reader.findToken(data, 0, data.length), before.length)
      assert.equal(reader.findToken(data, before.length + 1, data.length), -1)
    }),
  )
})

test('a payload may hold several tokens, next to each other or apart', () => {
  fc.assert(
    fc.property(fc.array(fc.tuple(probes, fc.string({ unit: 'grapheme' })), { minLength: 1, maxLength: 6 }), (pieces) => {
      const data = Buffer.from(pieces.map(([probe, text]) => text + writeToken(probe)).join(''))
      assert.deepEqual(
        readAll(data),
        pieces.map(([probe]) => asRead(probe)),
      )
    }),
  )
})

test('JSON that is decoded, sorted, nested and encoded again carries the token unchanged', () => {
  fc.assert(
    fc.property(
      probes,
      fc.dictionary(fc.string({ unit: 'binary' }), fc.jsonValue()),
      fc.string(),
      fc.boolean(),
      (probe, others, channel, isEscaped) => {
        const decoded: Record<string, unknown> = JSON.parse(JSON.stringify({ ...others, probe: writeToken(probe) }))
        const sorted = Object.fromEntries(Object.entries(decoded).sort(([a], [b]) => (a < b ? -1 : 1)))
        const text = JSON.stringify({ [channel]: sorted, list: [1, { deep: null }] })
        const escaped = text.replace(/[\u0080-\uffff<>&]/g, (letter) => `\\u${letter.charCodeAt(0).toString(16).padStart(4, '0')}`)
        assert.deepEqual(readAll(Buffer.from(isEscaped ? escaped : text)), [asRead(probe)])
      },
    ),
  )
})

test('a token cut at any byte is no token, and neither is one that ends past the end that was given', () => {
  const whole = Buffer.from(`{"probe":"${writeToken(sample)}"}`)
  const at = whole.indexOf('~')
  const reader = new TokenReader(RUN)
  for (let end = 0; end < at + TOKEN_BYTES; end++) {
    assert.equal(reader.findToken(whole.subarray(0, end), 0, end), -1)
    assert.equal(reader.findToken(whole, 0, end), -1)
    assert.equal(reader.read(whole, at, end), false)
  }
  assert.equal(reader.read(whole, at, at + TOKEN_BYTES), true)
})

test('ends and offsets outside of the bytes are answered, not thrown', () => {
  const data = Buffer.from(writeToken(sample))
  const reader = new TokenReader(RUN)
  assert.equal(reader.read(data, 0, 1_000), false)
  assert.equal(reader.read(data, -1, 64), false)
  assert.equal(reader.read(data, 500, 564), false)
  assert.equal(reader.findToken(data, -5, 1_000), -1)
  assert.equal(reader.findToken(new Uint8Array(0), 0, 0), -1)
})

test('a byte of a token replaced by any other byte either makes no token or another valid one', () => {
  const digit = (byte: number) => byte >= 0x30 && byte <= 0x39
  const letter = (byte: number) => byte >= 0x61 && byte <= 0x7a
  const good = Buffer.from(writeToken(sample))
  for (let at = 0; at < TOKEN_BYTES; at++) {
    const isRunOrStream = (at >= 5 && at < 13) || (at >= 14 && at < 18)
    const isNumber = !isRunOrStream && digit(good[at]!) && at > 18
    for (let byte = 0; byte < 256; byte++) {
      const data = Buffer.from(good)
      data[at] = byte
      const isValid = isRunOrStream ? digit(byte) || letter(byte) : isNumber ? digit(byte) : byte === good[at]
      // A time may become larger than any safe integer.
      const isTooLarge = (at === 30 || at === 47) && byte === 0x39
      const reader = new TokenReader(RUN)
      assert.equal(reader.read(data, 0, TOKEN_BYTES), isValid && !isTooLarge, `byte ${byte} at ${at}`)
      if (!isValid || isTooLarge) continue
      const text = data.toString('latin1')
      assert.equal(reader.isOwnRun, text.slice(5, 13) === RUN)
      assert.equal(reader.stream, Number.parseInt(text.slice(14, 18), 36))
      assert.equal(reader.sequence, Number(text.slice(19, 29)))
      assert.equal(reader.intendedUs, Number(text.slice(30, 46)))
      assert.equal(reader.sentUs, Number(text.slice(47, 63)))
    }
  }
})

test('hostile bytes never throw, and what is found in them has the documented shape', () => {
  const shape = /^~ff1\.[0-9a-z]{8}\.[0-9a-z]{4}\.\d{10}\.\d{16}\.\d{16}~$/
  const mean = fc.array(
    fc.oneof(
      fc.constantFrom('~', '~ff1.', '~ff1.~ff1.', '.', `~ff1.${RUN}.`, '0000000000', '9999999999999999', '\0\0\0\0', '::::', '////'),
      fc.tuple(probes, fc.nat(63), fc.nat(64)).map(([probe, from, to]) => writeToken(probe).slice(from, to)),
      fc.string({ unit: 'binary' }),
    ),
    { maxLength: 40 },
  )
  fc.assert(
    fc.property(mean, fc.boolean(), (pieces, isLatin) => {
      const data = Buffer.from(pieces.join(''), isLatin ? 'latin1' : 'utf8')
      const reader = new TokenReader(RUN)
      const offset = reader.findToken(data, 0, data.length)
      const text = data.toString('latin1')
      const expected = [...text.matchAll(/(?=(~ff1\.[0-9a-z]{8}\.[0-9a-z]{4}\.\d{10}\.(\d{16})\.(\d{16})~))/g)]
        .filter((match) => Number(match[2]) < 9e15 && Number(match[3]) < 9e15)
        .map((match) => match.index)
      assert.equal(offset, expected[0] ?? -1)
      if (offset >= 0) assert.match(text.slice(offset, offset + TOKEN_BYTES), shape)
    }),
    { numRuns: 500 },
  )
})

test('one reader may look at many arrays, also at parts of one buffer', () => {
  const reader = new TokenReader(RUN)
  const whole = Buffer.from(`....${writeToken(sample)}${writeToken({ ...sample, sequence: 8, stream: 0 })}`)
  const first = whole.subarray(4, 68)
  const second = new Uint8Array(whole.buffer, whole.byteOffset + 68, 64)
  for (const [data, sequence, stream] of [
    [first, 1_234_567, 37],
    [second, 8, 0],
    [first, 1_234_567, 37],
  ] as const) {
    assert.equal(reader.read(data, 0, 64), true)
    assert.deepEqual([reader.sequence, reader.stream], [sequence, stream])
  }
})
