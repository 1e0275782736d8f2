import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { LocalPorts, slicePorts } from '../../../../src/clients/dialing/local-ports.ts'

describe('a slice of the local ports', () => {
  const range = { first: 100, last: 1_099 }

  it('is as large as the share of clients, without overlap or gap', () => {
    const shares = [400, 400, 16]
    const total = 816
    const slices = shares.map((own, index) =>
      slicePorts(range, { before: shares.slice(0, index).reduce((sum, more) => sum + more, 0), own, total }),
    )
    assert.equal(slices[0]!.first, 100)
    assert.equal(slices.at(-1)!.last, 1_099)
    slices.forEach(({ first, last }, index) => {
      if (index > 0) assert.equal(first, slices[index - 1]!.last + 1)
      assert.ok(last - first + 1 >= shares[index]!)
    })
  })

  it('suffices when there are just as many ports as clients', () => {
    assert.deepEqual(slicePorts(range, { before: 333, own: 333, total: 1_000 }), { first: 433, last: 765 })
  })

  it('is never empty', () => {
    assert.deepEqual(slicePorts({ first: 5, last: 6 }, { before: 0, own: 1, total: 10 }), { first: 5, last: 5 })
  })
})

describe('local ports', () => {
  it('come in turn, each pair with its own, and begin again at the end of the slice', () => {
    const ports = new LocalPorts({ first: 10, last: 12 }, 0.5)
    assert.deepEqual(
      ['a', 'a', 'a', 'a', 'b'].map((pair) => ports.next(pair)),
      [11, 12, 10, 11, 11],
    )
  })

  it('are given up when the whole slice was busy without a success in between', () => {
    const ports = new LocalPorts({ first: 10, last: 12 }, 0)
    assert.deepEqual([ports.wasBusy('a'), ports.wasBusy('a')], [true, true])
    ports.worked('a')
    assert.deepEqual([ports.wasBusy('a'), ports.wasBusy('a'), ports.wasBusy('a'), ports.wasBusy('b')], [true, true, false, true])
  })
})
