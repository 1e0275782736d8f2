import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { LogCopy, ToldLog } from '../../../src/cluster/log-copies.ts'
import { MAX_LOG_ROWS } from '../../../src/cluster/wire/log-codec.ts'
import type { PublisherLog } from '../../../src/measure/publisher-log.ts'
import { plain } from '../../doubles/plain.ts'

const logOf = (rows: readonly (readonly number[])[]): PublisherLog => ({
  streams: rows.map((states, stream) => ({
    stream,
    count: states.length,
    sentUs: Float64Array.from(states, (state, sequence) => (state === 0 ? 0 : 1_000 + sequence)),
    states: Uint8Array.from(states),
  })),
})

test('a copy is the log as it was last told, however it changed in between', () => {
  const states = fc.array(fc.integer({ min: 0, max: 5 }), { minLength: 1, maxLength: 12 })
  fc.assert(
    fc.property(fc.array(fc.tuple(states, states), { minLength: 1, maxLength: 5 }), (logs) => {
      const told = new ToldLog()
      const copy = new LogCopy()
      for (const rows of logs) {
        const log = logOf(rows)
        for (const piece of told.tell(log)) copy.take(piece)
        assert.deepEqual(plain(copy.log), plain(log))
        assert.deepEqual(plain(told.log), plain(log))
      }
    }),
  )
})

test('only what has changed is told', () => {
  const told = new ToldLog()
  told.tell(logOf([[2, 2, 1, 1, 0, 0]]))
  const [piece, ...more] = told.tell(logOf([[2, 2, 2, 1, 1, 0]]))
  assert.deepEqual([piece?.from, [...(piece?.states ?? [])], more.length], [2, [2, 1, 1], 0])
  assert.deepEqual(told.tell(logOf([[2, 2, 2, 1, 1, 0]])), [])
})

test('what was told does not change when the publisher writes on', () => {
  const log = logOf([[1, 0]])
  const told = new ToldLog()
  told.tell(log)
  log.streams[0]!.states[1] = 1
  assert.deepEqual([...told.log.streams[0]!.states], [1, 0])
})

test('a long log travels in pieces', () => {
  const told = new ToldLog()
  const copy = new LogCopy()
  const log = logOf([new Array(MAX_LOG_ROWS * 2 + 1).fill(2)])
  const pieces = told.tell(log)
  for (const piece of pieces) copy.take(piece)
  assert.equal(pieces.length, 3)
  assert.deepEqual(copy.log.streams[0]!.sentUs, log.streams[0]!.sentUs)
})
