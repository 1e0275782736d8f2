import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { Deliveries } from '../../../src/clients/receive.ts'
import type { Books } from '../../../src/measure/books.ts'
import { TokenReader, writeToken } from '../../../src/probe/codec.ts'
import type { Stamp } from '../../../src/probe/probe.ts'

const RUN_ID = 'k3v9q2x1'
const token = (sequence: number, run = RUN_ID): string => writeToken({ run, stream: 0, sequence, intendedUs: 5, sentUs: 6 })

/** What would be booked, and how often a token was searched for instead of looked at. */
class Booked {
  readonly lines: string[] = []
  searches = 0
  readonly deliveries: Deliveries

  constructor(slots = 2) {
    const lines = this.lines
    const books = {
      delivery: (slot: number, stamp: Stamp, receivedUs: number, isRedelivery: boolean) => {
        lines.push(`${slot}: ${stamp.sequence} at ${receivedUs}${isRedelivery ? ' again' : ''}`)
      },
      foreign: () => {
        lines.push('foreign')
      },
    }
    const reader = new TokenReader(RUN_ID)
    const findToken = reader.findToken.bind(reader)
    reader.findToken = (...where) => {
      this.searches++
      return findToken(...where)
    }
    this.deliveries = new Deliveries(books as unknown as Books, reader, slots)
  }

  hear(slot: number, text: string): boolean {
    const bytes = Buffer.from(`....${text}....`)
    return this.deliveries.book(slot, bytes, 4, bytes.length - 4, 9, false)
  }
}

describe('the receive path', () => {
  it('looks for the token where it was last found for this client', () => {
    const booked = new Booked()
    booked.hear(0, `{"a":"${token(0)}"}`)
    const searches = booked.searches
    booked.hear(0, `{"a":"${token(1)}"}`)
    booked.hear(0, `{"a":"${token(2)}"}`)
    assert.equal(booked.searches, searches)
    booked.hear(1, `{"a":"${token(2)}"}`)
    assert.ok(booked.searches > searches)
    assert.deepEqual(booked.lines, ['0: 0 at 9', '0: 1 at 9', '0: 2 at 9', '1: 2 at 9'])
  })

  it('searches when the token has moved, or the payload has another length', () => {
    const booked = new Booked()
    for (const text of [`${token(0)}....`, `....${token(1)}`, token(2), `${'x'.repeat(70)}${token(3)}`]) assert.ok(booked.hear(0, text))
    assert.equal(booked.lines.length, 4)
  })

  it('finds every token of a payload, in order, also where only one was before', () => {
    const booked = new Booked()
    booked.hear(0, `[${token(0)}]`)
    booked.hear(0, `[${token(1)},${token(2)},${token(3)}]`)
    booked.hear(0, `[${token(4)},${token(5)},${token(6)}]`)
    assert.deepEqual(
      booked.lines,
      [0, 1, 2, 3, 4, 5, 6].map((sequence) => `0: ${sequence} at 9`),
    )
  })

  it('tells tokens of other runs apart, and payloads without a token', () => {
    const booked = new Booked()
    assert.equal(booked.hear(0, token(0, 'another1')), true)
    assert.equal(booked.hear(0, '{"none":1}'), false)
    assert.equal(booked.hear(0, ''), false)
    assert.equal(booked.hear(0, token(0).slice(1)), false)
    assert.deepEqual(booked.lines, ['foreign'])
  })

  it('never reads beyond the payload, whatever lies around it', () => {
    const booked = new Booked(1)
    booked.hear(0, token(0))
    const bytes = Buffer.from(`${token(1)}${token(2)}`)
    for (let start = 1; start < 64; start++) booked.deliveries.book(0, bytes, start, start + 64, 9, false)
    assert.deepEqual(booked.lines, ['0: 0 at 9'])
  })

  it('books as many tokens as there are, whatever stands between them', () => {
    fc.assert(
      fc.property(fc.array(fc.array(fc.string({ maxLength: 80, unit: 'binary' }), { maxLength: 4 }), { maxLength: 6 }), (payloads) => {
        const booked = new Booked()
        let next = 0
        for (const between of payloads) booked.hear(0, between.map((text) => `${text.replaceAll('~', '')}${token(next++)}`).join(''))
        assert.deepEqual(
          booked.lines,
          Array.from({ length: next }, (_, sequence) => `0: ${sequence} at 9`),
        )
      }),
    )
  })
})
