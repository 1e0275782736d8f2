import assert from 'node:assert/strict'
import { test } from 'node:test'
import { deflateSync } from 'node:zlib'
import fc from 'fast-check'
import { z } from 'zod'
import { float64Column, uint8Column, uint32Column } from '../../../../src/cluster/wire/columns.ts'
import { fromCoordinator, fromReplica } from '../../../../src/cluster/wire/messages.ts'
import { isUnreadable, pack, unpack } from '../../../../src/cluster/wire/parcel.ts'
import { splitSnapshot } from '../../../../src/cluster/wire/split-snapshot.ts'
import { emptySnapshot, mergeSnapshots } from '../../../../src/measure/snapshot-merge.ts'
import { assertClose } from '../../../doubles/assert-close.ts'
import { plain } from '../../../doubles/plain.ts'
import { snapshots } from '../../../doubles/snapshot-arbitraries.ts'

const clock = { isShared: true, offsetUs: 0, boundUs: 0.5, steps: 0 }
const usage = { cpuSeconds: 1.5, rssBytes: 4_096 }

/** There and back; fails the test when it is refused. */
function sent<S extends z.ZodType>(schema: S, message: z.output<S>): z.output<S> {
  const arrived = unpack(schema, pack(schema, message))
  assert.ok(!isUnreadable(arrived as object), JSON.stringify(arrived))
  return arrived as z.output<S>
}

test('a snapshot arrives as it was sent', () => {
  fc.assert(
    fc.property(snapshots, (snapshot) => {
      const message = { type: 'snapshot' as const, snapshot, usage, clock, died: [] }
      assert.deepEqual(plain(sent(fromReplica, message)), plain(message))
    }),
  )
})

test('an empty snapshot arrives empty', () => {
  const message = { type: 'snapshot' as const, snapshot: emptySnapshot(), usage, clock, died: [] }
  assert.deepEqual(plain(sent(fromReplica, message)), plain(message))
})

test('columns arrive to the last bit, whatever their alignment', () => {
  const columns = z.strictObject({ doubles: float64Column(100), words: uint32Column(100), bytes: uint8Column(100) })
  fc.assert(
    fc.property(
      fc.float64Array({ maxLength: 50 }),
      fc.uint32Array({ maxLength: 50 }),
      fc.uint8Array({ maxLength: 50 }),
      fc.nat(3),
      (doubles, words, bytes, skipped) => {
        const message = { doubles, words: words.subarray(skipped), bytes: bytes.subarray(skipped) }
        const arrived = sent(columns, message)
        assert.deepEqual(new Uint8Array(new Float64Array(arrived.doubles).buffer), new Uint8Array(new Float64Array(doubles).buffer))
        assert.deepEqual([...arrived.words], [...message.words])
        assert.deepEqual([...arrived.bytes], [...message.bytes])
      },
    ),
  )
})

test('a snapshot in pieces adds up to the whole', () => {
  const limits = { fanoutRows: 2, readyClients: 3, timelineSeconds: 1 }
  fc.assert(
    fc.property(snapshots, (drawn) => {
      const whole = mergeSnapshots(drawn, emptySnapshot())
      const pieces = splitSnapshot(whole, limits)
      for (const { fanout, readyClients, timeline } of pieces) {
        assert.ok(fanout.count.length <= 2 && readyClients.client.length <= 3 && timeline.length <= 1)
      }
      assertClose(
        pieces.reduce((sum, piece) => mergeSnapshots(sum, piece), emptySnapshot()),
        whole,
      )
    }),
  )
})

test('large messages travel compressed, small ones as they are', () => {
  const text = 'x'.repeat(10_000)
  const large = pack(fromCoordinator, { type: 'refused', text })
  assert.equal(large.encoding, 'deflate')
  assert.ok(large.body.length < 1_000)
  assert.equal(pack(fromCoordinator, { type: 'stop-connecting' }).encoding, 'identity')
  assert.deepEqual(sent(fromCoordinator, { type: 'refused', text }), { type: 'refused', text })
})

test('what is no message is refused with a reason, never thrown', () => {
  const bodies: [body: Buffer, encoding: unknown][] = [
    [Buffer.from(''), 'identity'],
    [Buffer.from('nonsense'), 'identity'],
    [Buffer.from('{"type":"plan"}'), 'identity'], // half of it
    [Buffer.from('{"type":"phase","phase":"publish","more":1}'), 'identity'], // more than there is
    [Buffer.from('{"type":"connect","startUs":"now"}'), 'identity'],
    [Buffer.from('{"type":"connect","startUs":1e999}'), 'identity'],
    [Buffer.from('{"type":"stop-connecting"}'), 'gzip'],
    [Buffer.from('{"type":"stop-connecting"}'), 'deflate'], // not compressed at all
    [deflateSync(Buffer.alloc(80 * 1024 * 1024)), 'deflate'], // a bomb
    [Buffer.alloc(16 * 1024 * 1024, 0x20), 'identity'],
  ]
  for (const [body, encoding] of bodies) assert.ok(isUnreadable(unpack(fromCoordinator, { body, encoding })), body.toString('utf8', 0, 40))
  fc.assert(fc.property(fc.uint8Array(), (bytes) => isUnreadable(unpack(fromReplica, { body: Buffer.from(bytes), encoding: 'identity' }))))
})

test('a column that is not whole, or longer than it may be, is refused', () => {
  const columns = z.strictObject({ doubles: float64Column(2) })
  const unpacked = (doubles: unknown) => unpack(columns, { body: Buffer.from(JSON.stringify({ doubles })), encoding: 'identity' })
  assert.ok(!isUnreadable(unpacked(Buffer.alloc(16).toString('base64'))))
  for (const text of [Buffer.alloc(12).toString('base64'), Buffer.alloc(24).toString('base64'), '!!!!!!!!', 'AAAAAAAAA*A=', 7]) {
    assert.ok(isUnreadable(unpacked(text)), String(text))
  }
})

test('a message that breaks its own schema does not leave', () => {
  assert.throws(() => pack(fromCoordinator, { type: 'connect', startUs: Number.NaN }))
  assert.throws(() =>
    pack(fromReplica, { type: 'snapshot', snapshot: { ...emptySnapshot(), toUs: Number.POSITIVE_INFINITY }, usage, clock, died: [] }),
  )
})
